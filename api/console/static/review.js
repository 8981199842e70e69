// Keys for labels: 1, 2 and 3 label the claim at hand and go on to the next one without a label.
"use strict";

(() => {
  const form = document.querySelector(".sheet-form");
  if (!form) return;
  const claims = [...form.querySelectorAll(".claim-sheet")];
  const save = form.querySelector(".save button");
  const keysOn = form.querySelector(".keys-on");
  keysOn.checked = window.localStorage.getItem("keys") !== "off";
  keysOn.addEventListener("change", () => {
    window.localStorage.setItem("keys", keysOn.checked ? "on" : "off");
  });

  const isOpen = (claim) => !claim.querySelector("input:checked");

  function label(number) {
    const at = document.activeElement?.closest(".claim-sheet");
    const claim = at ?? claims.find(isOpen) ?? claims[claims.length - 1];
    claim.querySelectorAll(".choices input")[number - 1].checked = true;
    const rest = claims.slice(claims.indexOf(claim) + 1);
    const next = rest.find(isOpen) ?? claims.find(isOpen);
    const goal = next ? next.querySelector(".choices input") : save;
    goal.focus({ preventScroll: true });
    (next ?? save).scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keysOn.checked) return;
    if (!["1", "2", "3"].includes(event.key)) return;
    event.preventDefault();
    label(Number(event.key));
  });
})();
