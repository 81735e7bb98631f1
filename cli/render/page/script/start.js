// Search, keys, and the first picture.
const search = document.getElementById("search");
const hits = document.getElementById("hits");
let turn = 0;

function found(part, words) {
  if (part.dataset.part === "op") {
    const operator = operators.get(Number(part.dataset.a));
    return [operator.name, operator.key, operator.uid, operator.id, operator.place, operator.kind].some((value) => value && value.toLowerCase().includes(words));
  }
  return part.textContent.toLowerCase().includes(words);
}

function find() {
  const words = search.value.trim().toLowerCase();
  const svg = drawing(current());
  hits.textContent = "";
  if (!svg) return [];
  svg.classList.toggle("searching", words !== "");
  const parts = [...svg.querySelectorAll("[data-part]")].filter((part) => !part.classList.contains("edge"));
  const ops = parts.filter((part) => part.dataset.part === "op");
  const searched = ops.length ? ops : parts.filter((part) => part.getAttribute("role") === "button");
  const matching = words ? searched.filter((part) => found(part, words)) : [];
  for (const part of parts) {
    part.classList.toggle("found", matching.includes(part));
    part.classList.toggle("missed", words !== "" && !matching.includes(part) && !part.querySelector("[data-part]"));
  }
  if (words) hits.textContent = matching.length === 1 ? "1 hit" : `${matching.length} hits`;
  return matching;
}

search.addEventListener("input", () => { turn = 0; find(); });
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; find(); search.blur(); event.stopPropagation(); }
  if (event.key === "Enter") {
    const matching = find();
    if (matching.length) { const part = matching[turn++ % matching.length]; select(selectionOf(part)); reveal(part); }
  }
});

for (const tab of tabs) {
  tab.addEventListener("click", () => show(tab.dataset.stage));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : tabs.indexOf(tab) + (step || 0);
    if (!step && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    show(tabs[(at + tabs.length) % tabs.length].dataset.stage, { focus: true });
  });
}
document.getElementById("in").addEventListener("click", () => zoomMiddle(1.25));
document.getElementById("out").addEventListener("click", () => zoomMiddle(0.8));
document.getElementById("fit").addEventListener("click", () => fit(current()));

// Arrow keys go from part to part, one of them is in the tab order.
document.getElementById("stages").addEventListener("keydown", (event) => {
  const part = event.target.closest("[data-part]");
  if (!part || !drawing(current())) return;
  const parts = [...drawing(current()).querySelectorAll("[role=button]")];
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step) {
    event.preventDefault();
    const next = parts[(parts.indexOf(part) + step + parts.length) % parts.length];
    part.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus({ preventScroll: true });
    reveal(next);
  }
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(selectionOf(part)); }
});

document.addEventListener("keydown", (event) => {
  if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); search.focus(); }
  if (event.key === "+") zoomMiddle(1.25);
  if (event.key === "-") zoomMiddle(0.8);
  if (event.key === "0") fit(current());
  if (event.key === "Escape") select(null);
});

// The whole list is in the print of a list.
addEventListener("beforeprint", () => { for (const closed of current().querySelectorAll("details")) closed.open = true; });
addEventListener("resize", () => { views.clear(); settle(current()); });
addEventListener("hashchange", () => follow(location.hash));
follow(location.hash);
