for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement, body = head.closest("table").tBodies[0];
    const place = [...head.parentElement.children].indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[place].textContent.trim();
    const number = (text) => (text === "" ? -Infinity : Number(text.replace("%", "")));
    const rows = [...body.rows].map((row) => [key(row), row]);
    const numeric = rows.every(([text]) => !Number.isNaN(number(text)));
    rows.sort(([a], [b]) => (numeric ? number(a) - number(b) : a.localeCompare(b)));
    if (down) rows.reverse();
    body.append(...rows.map(([, row]) => row));
  });
}
