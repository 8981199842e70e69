// The page of one answer and of one span: better with it, never needed for it.
"use strict";

(() => {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const cards = [...document.querySelectorAll(".card > details")];

  // Opening a card marks it, brings it into view and moves the focus there.
  function showCard(card) {
    for (const other of document.querySelectorAll(".card.is-active")) {
      other.classList.remove("is-active");
    }
    card.open = true;
    card.parentElement.classList.add("is-active");
    card.scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "start" });
    card.querySelector(".card-body").focus({ preventScroll: true });
  }

  for (const link of document.querySelectorAll('.prose .anchor a[href^="#citation-"]')) {
    link.addEventListener("click", (event) => {
      const card = document.getElementById(link.hash.slice(1))?.closest("details");
      if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      // Setting the hash keeps :target and the address that a reader may copy.
      if (window.location.hash !== link.hash) window.location.hash = link.hash;
      showCard(card);
    });
  }

  // A verdict under the pointer or the focus lights up its claim in the prose.
  function light(index, on) {
    for (const piece of document.querySelectorAll(".prose [data-claims]")) {
      if (piece.dataset.claims.split(" ").includes(index)) piece.classList.toggle("is-lit", on);
    }
  }
  for (const verdict of document.querySelectorAll(".verdict[data-claim]")) {
    const index = verdict.dataset.claim;
    for (const name of ["mouseenter", "focusin"]) {
      verdict.addEventListener(name, () => light(index, true));
    }
    for (const name of ["mouseleave", "focusout"]) {
      verdict.addEventListener(name, () => light(index, false));
    }
  }

  // Escape puts a tip away until the anchor is left (WCAG 1.4.13).
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const anchor of document.querySelectorAll(".anchor:hover, .anchor:focus-within")) {
      anchor.classList.add("is-dismissed");
    }
  });
  for (const anchor of document.querySelectorAll(".anchor")) {
    for (const name of ["mouseleave", "focusout"]) {
      anchor.addEventListener(name, () => anchor.classList.remove("is-dismissed"));
    }
  }

  // Keys: j and k go from card to card, o opens and closes, ? helps. WCAG 2.1.4: they can be off.
  const help = document.querySelector("dialog.help");
  const keysOn = document.querySelector(".keys-on");
  if (keysOn) {
    keysOn.checked = window.localStorage.getItem("keys") !== "off";
    keysOn.addEventListener("change", () => {
      window.localStorage.setItem("keys", keysOn.checked ? "on" : "off");
    });
  }

  function findCurrent() {
    const focused = document.activeElement?.closest(".card > details");
    const active = document.querySelector(".card.is-active > details");
    return cards.indexOf(focused ?? active);
  }

  function step(by) {
    const from = findCurrent();
    const to = Math.min(cards.length - 1, Math.max(0, from + by));
    if (from >= 0 && from !== to) cards[from].open = false;
    if (cards[to]) showCard(cards[to]);
  }

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    o: () => {
      const card = cards[Math.max(0, findCurrent())];
      if (card?.open) card.open = false;
      else if (card) showCard(card);
    },
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  if (help) {
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input:not([type=checkbox]), textarea, select");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(event.key in keys) || (!keysOn.checked && event.key !== "?")) return;
      if (help.open && event.key !== "?") return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  // The tools of a page work in place: the links that they are lead to the span's own page.
  for (const figure of document.querySelectorAll("figure.page")) {
    const svg = figure.querySelector("svg");
    const turned = svg.querySelector("g");
    const frame = svg.querySelector("foreignObject");
    const image = svg.querySelector("img");
    const home = Number(figure.dataset.page);
    const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const first = { x: x + width / 2, y: y + height / 2, width, height };
    const whole = { width: Number(frame.getAttribute("width")), height: Number(frame.getAttribute("height")) };
    const view = { ...first, zoom: 1, turn: Number(turned.getAttribute("transform").match(/\d+/)[0]) };
    let page = home;

    function draw() {
      let [wide, high] = [view.width / view.zoom, view.height / view.zoom];
      turned.setAttribute("transform", `rotate(${view.turn} ${view.x} ${view.y})`);
      svg.setAttribute("viewBox", [view.x - wide / 2, view.y - high / 2, wide, high].join(" "));
      const isHome = page === home;
      svg.querySelector(".drawn").classList.toggle("is-elsewhere", !isHome);
      figure.querySelector(".tools-page").textContent = `Page ${page}`;
    }

    function showPage(number) {
      const other = new Image();
      other.addEventListener("load", () => {
        page = number;
        image.src = other.src;
        // Another page is shown whole, in a unit of its own: nothing is drawn on it.
        const size = number === home
          ? whole
          : { width: whole.width, height: (whole.width * other.naturalHeight) / other.naturalWidth };
        frame.setAttribute("width", size.width);
        frame.setAttribute("height", size.height);
        image.width = Math.round(size.width);
        image.height = Math.round(size.height);
        const middle = { x: size.width / 2, y: size.height / 2 };
        Object.assign(view, { ...(number === home ? first : { ...size, ...middle }), zoom: 1 });
        draw();
      });
      other.src = image.src.replace(/\/pages\/\d+\.png/, `/pages/${number}.png`);
    }

    const tools = {
      in: () => { view.zoom = Math.min(8, view.zoom * 1.4); draw(); },
      out: () => { view.zoom = Math.max(0.4, view.zoom / 1.4); draw(); },
      turn: () => {
        view.turn = (view.turn + 90) % 360;
        [view.width, view.height] = [view.height, view.width];
        draw();
      },
      previous: () => showPage(page - 1),
      next: () => showPage(page + 1),
    };
    for (const tool of figure.querySelectorAll("[data-tool]")) {
      tool.setAttribute("role", "button");
      tool.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        tools[tool.dataset.tool]();
      });
      tool.addEventListener("keydown", (event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        tool.click();
      });
    }

    // Dragging moves the page under the window.
    svg.addEventListener("pointerdown", (start) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const from = { ...view };
      const radians = (view.turn * Math.PI) / 180;
      function move(event) {
        const dx = (event.clientX - start.clientX) * scale;
        const dy = (event.clientY - start.clientY) * scale;
        view.x = from.x - (dx * Math.cos(radians) + dy * Math.sin(radians));
        view.y = from.y - (dy * Math.cos(radians) - dx * Math.sin(radians));
        draw();
      }
      svg.setPointerCapture(start.pointerId);
      svg.addEventListener("pointermove", move);
      svg.addEventListener("pointerup", () => svg.removeEventListener("pointermove", move), { once: true });
    });
  }
})();
