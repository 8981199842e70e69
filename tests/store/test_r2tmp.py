from __future__ import annotations
import threading, time
from sqlalchemy import text
from store.session import Database, to_url
def test_iso(postgresql_url, tmp_path):
    database = Database(to_url(tmp_path, f"{postgresql_url}&options=-cdefault_transaction_isolation%3Drepeatable%5C%20read"))
    with database.connection("x") as c:
        print(c.execute(text("SHOW transaction_isolation")).scalar())
        c.execute(text("create table t (a int)"))
    seen=[]
    def second():
        with database.connection("k") as c:
            seen.append(c.execute(text("select count(*) from t")).scalar())
    with database.connection("k") as c:
        th=threading.Thread(target=second); th.start(); time.sleep(1)
        c.execute(text("insert into t values (1)"))
    th.join()
    print(seen)
    database.close()
    assert seen==[1]
