"""Sentences of eight words or more in languages that an English model does not read."""

from __future__ import annotations

FOREIGN: dict[str, tuple[str, ...]] = {
    "German": (
        "Der Lieferant muss die Ware innerhalb von vier Werktagen nach der Bestellung liefern.",
        "Die Patienten erhielten zwei Wochen lang jeden Morgen eine Dosis des neuen Wirkstoffs.",
        "Im vergangenen Jahr stieg der Umsatz des Unternehmens um 12,5 Prozent auf 3,4 Millionen.",
        "Niemand darf diesen Vertrag ohne die schriftliche Zustimmung der anderen Partei kündigen.",
        "Das Gericht wies die Klage ab, weil die Frist bereits verstrichen war.",
        "Wir haben keine Hinweise darauf gefunden, dass die Maschine falsch bedient wurde.",
        "Ein Mann spielt auf der Bühne Gitarre und die Leute hören ihm zu.",
        "Studien zeigen deutlich sinkende Sterblichkeit bei älteren Menschen nach früher Impfung.",
    ),
    "French": (
        "Le fournisseur doit livrer les marchandises dans les quatre jours ouvrables suivants.",
        "Les patients ont reçu une dose du nouveau médicament chaque matin pendant deux semaines.",
        "L'année dernière, le chiffre d'affaires de la société a augmenté de 12,5 pour cent.",
        "Aucune partie ne peut résilier ce contrat sans l'accord écrit de l'autre partie.",
        "Le tribunal a rejeté la demande parce que le délai était déjà expiré.",
        "Nous n'avons trouvé aucune preuve que la machine ait été mal utilisée.",
        "Un homme joue de la guitare sur la scène et le public écoute.",
        "Elle habite depuis dix ans dans une petite maison près de la rivière.",
    ),
    "Spanish": (
        "El proveedor debe entregar la mercancía dentro de los cuatro días hábiles siguientes.",
        "Los pacientes recibieron una dosis del nuevo medicamento cada mañana durante dos semanas.",
        "El año pasado los ingresos de la empresa aumentaron un 12,5 por ciento.",
        "Ninguna de las partes puede rescindir este contrato sin el consentimiento de la otra.",
        "El tribunal rechazó la demanda porque el plazo ya había vencido.",
        "No hemos encontrado pruebas de que la máquina fuera utilizada de forma incorrecta.",
        "Un hombre toca la guitarra en el escenario y el público lo escucha.",
        "Ella vive desde hace diez años en una casa pequeña cerca del río.",
    ),
    "Italian": (
        "Il fornitore deve consegnare la merce entro quattro giorni lavorativi dall'ordine.",
        "I pazienti hanno ricevuto una dose del nuovo farmaco ogni mattina per due settimane.",
        "L'anno scorso il fatturato della società è aumentato del 12,5 per cento.",
        "Nessuna delle parti può recedere dal contratto senza il consenso scritto dell'altra.",
        "Il tribunale ha respinto la domanda perché il termine era già scaduto.",
        "Non abbiamo trovato prove che la macchina sia stata usata in modo sbagliato.",
        "Un uomo suona la chitarra sul palco e la gente lo ascolta.",
        "Vive da dieci anni in una piccola casa vicino al fiume con la famiglia.",
    ),
    "Portuguese": (
        "O fornecedor deve entregar a mercadoria no prazo de quatro dias úteis após a encomenda.",
        "Os pacientes receberam uma dose do novo medicamento todas as manhãs durante duas semanas.",
        "No ano passado, as receitas da empresa aumentaram 12,5 por cento.",
        "Nenhuma das partes pode rescindir este contrato sem o consentimento escrito da outra.",
        "O tribunal rejeitou o pedido porque o prazo já tinha terminado.",
        "Não encontrámos provas de que a máquina tenha sido usada de forma errada.",
        "Um homem toca guitarra no palco e as pessoas estão a ouvir.",
        "Ela vive há dez anos numa casa pequena perto do rio com os filhos.",
    ),
    "Dutch": (
        "De leverancier moet de goederen binnen vier werkdagen na de bestelling leveren.",
        "De patiënten kregen twee weken lang elke ochtend een dosis van het nieuwe middel.",
        "Vorig jaar steeg de omzet van het bedrijf met 12,5 procent tot 3,4 miljoen.",
        "Geen van de partijen mag deze overeenkomst opzeggen zonder schriftelijke toestemming.",
        "De rechtbank wees de vordering af omdat de termijn al was verstreken.",
        "Wij hebben geen aanwijzingen gevonden dat de machine verkeerd werd bediend.",
        "Een man speelt gitaar op het podium en de mensen luisteren naar hem.",
        "Zij woont al tien jaar in een klein huis dicht bij de rivier.",
    ),
}

#: Scripts that the embedded vocabulary hardly spells.
OTHER_SCRIPTS: dict[str, str] = {
    "Russian": "Поставщик должен доставить товар в течение четырёх рабочих дней.",
    "Greek": "Ο προμηθευτής πρέπει να παραδώσει τα αγαθά εντός τεσσάρων ημερών.",
    "Arabic": "يجب على المورد تسليم البضائع في غضون أربعة أيام عمل.",
    "Hebrew": "הספק חייב לספק את הסחורה בתוך ארבעה ימי עסקים.",
    "Chinese": "供应商必须在收到订单后的四个工作日内交付货物。",
    "Japanese": "供給者は注文から四営業日以内に商品を引き渡さなければならない。",
    "Korean": "공급자는 주문 후 영업일 기준 나흘 이내에 물품을 인도해야 한다.",
    "Hindi": "आपूर्तिकर्ता को चार कार्य दिवसों के भीतर माल पहुँचाना होगा।",
    "Thai": "ผู้ขายต้องส่งมอบสินค้าภายในสี่วันทำการนับจากวันที่สั่งซื้อ",
}
