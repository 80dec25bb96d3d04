// The matrix by keys, calls by their names, and kinds of evidence one at a time.
(() => {
  const matrix = document.querySelector(".matrix");
  const search = document.getElementById("search");
  let last = null;

  search?.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const always = search.dataset.always !== undefined;
    for (const one of document.querySelectorAll("[data-call]")) {
      one.hidden = !(words.every((word) => one.dataset.call.includes(word)) && (words.length > 0 || !always));
    }
  });
  search?.dispatchEvent(new Event("input"));

  for (const button of document.querySelectorAll("[data-kind]")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      for (const one of document.querySelectorAll("[data-kind]")) one.setAttribute("aria-pressed", String(on && one === button));
      matrix.classList.toggle("alone", on);
      for (const cell of matrix.querySelectorAll("td")) cell.classList.toggle("chosen", cell.classList.contains(`k-${button.dataset.kind}`));
    });
  }

  if (!matrix) return;
  const links = [...matrix.querySelectorAll("td a")];
  for (const link of links) {
    link.tabIndex = -1;
    const cell = link.closest("td");
    const code = matrix.tHead.rows[0].cells[cell.cellIndex].textContent;
    link.title = `${cell.parentElement.cells[0].textContent} → ${code}: ${link.getAttribute("aria-label")}`;
  }
  if (links[0]) links[0].tabIndex = 0;

  function go(link) {
    for (const one of links) one.tabIndex = -1;
    link.tabIndex = 0;
    link.focus();
    link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // The next cell in a direction that has something behind it, in the same row or column.
  function next(link, dx, dy) {
    let row = link.closest("tr");
    let place = link.closest("td").cellIndex;
    for (;;) {
      if (dy) do { row = dy > 0 ? row.nextElementSibling : row.previousElementSibling; } while (row?.hidden);
      place += dx;
      if (!row || place < 1 || place >= row.cells.length) return null;
      const found = row.cells[place].querySelector("a");
      if (found) return found;
    }
  }

  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  matrix.addEventListener("keydown", (event) => {
    const link = event.target.closest("td a");
    if (!link || !moves[event.key]) return;
    event.preventDefault();
    const found = next(link, ...moves[event.key]);
    if (found) go(found);
  });
  matrix.addEventListener("click", (event) => {
    const link = event.target.closest("td a");
    if (link) last = link;
  });

  function opened() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.classList.contains("cell")) target.focus({ preventScroll: true });
  }
  addEventListener("hashchange", opened);
  opened();
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !document.querySelector(".cell:target")) return;
    const link = last ?? matrix.querySelector(`td a[href="${CSS.escape(location.hash)}"]`);
    location.hash = "matrix";
    if (link) go(link);
  });
})();
