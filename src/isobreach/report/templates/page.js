"use strict";
// A matrix is one tab stop: arrow keys go from cell to cell, Escape leaves it.
for (const matrix of document.querySelectorAll(".mx")) {
  const rows = [...matrix.tBodies[0].rows].map((row) => [...row.cells].slice(1));
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  matrix.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.activeElement.blur();
    const step = steps[event.key], row = rows.findIndex((cells) => cells.includes(document.activeElement));
    if (!step || row < 0) return;
    const column = rows[row].indexOf(document.activeElement), next = rows[row + step[0]]?.[column + step[1]];
    if (!next) return;
    event.preventDefault();
    rows[row][column].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
