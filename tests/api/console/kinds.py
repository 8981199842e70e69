"""Small documents of the formats that have no pages: a web page, two tables, a message, a text."""

from __future__ import annotations

import io

import docx
import openpyxl

#: What each says of the same thing; the console marks these words.
QUOTES = {
    "terms.html": "Defective goods are replaced within four business days.",
    "terms.docx": "Interest of five per cent a year is due on late payments.",
    "orders.xlsx": "4,518 units",
    "orders.csv": "Replaced in 37 days",
    "notice.eml": "The goods of order 77 arrived broken.",
}


def make_documents(attack: str = "") -> dict[str, bytes]:
    """The documents by their file names, with the ``attack`` wherever they may have text."""
    return {
        "terms.html": _make_html(attack),
        "terms.docx": _make_docx(attack),
        "orders.xlsx": _make_xlsx(attack),
        "orders.csv": _make_csv(attack),
        "notice.eml": _make_eml(attack),
    }


def _make_html(attack: str) -> bytes:
    shown = attack.replace("&", "&amp;").replace("<", "&lt;")
    return f"""<!doctype html><title>Supply terms</title>
<style>p {{ color: red }}</style><script>window.attacked = 1</script>
<h1 onclick="window.attacked=1">Supply terms {shown}</h1>
<p>These terms hold for all orders. <img src="https://evil.example/x.png" onerror="attacked=1"></p>
<h2>Defects</h2>
<p>{QUOTES["terms.html"]} Others are not.</p>
<ul><li>The notice names the order.</li><li>The goods are kept {shown}.</li></ul>
<table><tr><th>Region</th><th>Days</th></tr><tr><td>North {shown}</td><td>4</td></tr></table>
<a href="javascript:window.attacked=1">More</a>""".encode()


def _make_docx(attack: str) -> bytes:
    document = docx.Document()
    document.add_heading(f"Payment {attack}", 1)
    document.add_paragraph("Payment is due within thirty days of the invoice.")
    document.add_paragraph(QUOTES["terms.docx"])
    document.add_paragraph(f"The rate is the yearly one {attack}.", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for row, texts in zip(table.rows, (("Rate", "Per cent"), (f"Late {attack}", "5")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    saved = io.BytesIO()
    document.save(saved)
    return saved.getvalue()


def _make_xlsx(attack: str) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Orders 2026"
    sheet.append(["Region", "Month", "Ordered", f"Replaced {attack}", "Note"])
    for number in range(1, 60):
        sheet.append([f"Region {number}", "May", f"{4_473 + number:,} units", number % 7, attack])
    sheet.merge_cells("A62:C62")
    sheet["A62"] = "All regions together"
    sheet.row_dimensions[45].hidden = True
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


def _make_csv(attack: str) -> bytes:
    note = attack.replace('"', '""')
    rows = ["Order,Buyer,Outcome,Note"]
    rows += [f'{each},Buyer {each},Replaced in {each} days,"{note}"' for each in range(1, 60)]
    return "\n".join(rows).encode()


def _make_eml(attack: str) -> bytes:
    return f"""From: Ann Buyer <ann@buyer.example>
To: Supplier <service@supplier.example>
Date: Wed, 20 May 2026 10:30:00 +0000
Subject: Broken goods {attack}
Content-Type: text/plain; charset=utf-8

Good morning,

{QUOTES["notice.eml"]} Please replace them. {attack}

Ann
""".encode()
