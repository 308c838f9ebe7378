"use strict";
(() => {
  const tip = document.getElementById("tip");
  const show = (dot) => {
    tip.textContent = dot.dataset.tip;
    tip.hidden = false;
    const place = dot.getBoundingClientRect();
    const left = Math.min(place.left + 12, window.innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, place.top - tip.offsetHeight - 8)}px`;
  };
  for (const name of ["mouseover", "focusin"]) {
    document.addEventListener(name, (event) => {
      const dot = event.target.closest("[data-tip]");
      if (dot) show(dot); else tip.hidden = true;
    });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  window.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const compare = (a, b) => {
          const x = key(a), y = key(b), numeric = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
          return (numeric ? Number(x) - Number(y) : x.localeCompare(y)) * (down ? -1 : 1);
        };
        body.append(...[...body.rows].sort(compare));
      });
    });
  }

  const dialog = document.getElementById("enlarged");
  for (const figure of document.querySelectorAll("figure")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "zoom";
    button.textContent = "enlarge";
    button.setAttribute("aria-label", `enlarge: ${figure.querySelector("h3").textContent}`);
    figure.querySelector("h3").append(button);
    button.addEventListener("click", () => {
      const copy = figure.querySelector(".chart").cloneNode(true);
      copy.removeAttribute("aria-labelledby");
      copy.querySelector("title").remove();
      dialog.querySelector("div").replaceChildren(copy);
      dialog.append(tip);
      dialog.showModal();
    });
  }
  dialog.addEventListener("close", () => { document.body.append(tip); tip.hidden = true; });
})();
