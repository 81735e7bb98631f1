// What if: the changes that would chain more, each computed beforehand, and the switch between them.
const figure = (value) => (value === null ? "?" : value.toLocaleString("en").replaceAll(",", "\u202f"));
const FIGURES = { operators: "operators", chains: "tasks", tasks: "subtasks", channels: "channels", slots: "slots", buffers_to_start: "network buffers to start", buffers_wanted: "network buffers to run well" };

function switchTo(number) {
  variant = number;
  drawBanner();
  const section = document.getElementById("stage-job");
  const drawn = drawing(section);
  if (drawn) {
    if (!section.original) section.original = drawn;
    const kept = number === null ? null : document.getElementById(`variant-${number}`);
    const next = kept ? read(kept) : section.original;
    if (kept) next.dataset.variant = number;
    if (next !== drawn) drawn.replaceWith(next);
  }
  views.clear(); // the banner takes its room from all of them
  const shown = current();
  if (!shown) return;
  prepare(shown);
  settle(shown);
  mark();
  remember();
}

function drawBanner() {
  const banner = document.getElementById("banner");
  banner.hidden = variant === null;
  if (variant === null) return;
  const shown = data.variants[variant];
  banner.replaceChildren(
    el("span", {}, el("b", {}, "What if: "), shown.title, " ",
      el("span", { class: "muted" }, shown.drawn ? "The job graph is drawn with this change; the other stages are as written." : "Edges that would chain are drawn in green.")),
    el("button", { type: "button", click: () => { switchTo(null); drawPanel(); } }, "Back to the plan as written"));
}

// A change: what it saves in one line, what it means for state, and everything else behind "Details".
function switchCard(number, label) {
  const shown = data.variants[number], on = variant === number;
  const button = el("button", { type: "button", "aria-pressed": String(on), click: () => { switchTo(on ? null : number); if (!on) show("job"); drawPanel(); panel.querySelector(`[data-variant="${number}"] button`)?.focus(); } }, on ? "Back to the plan as written" : label);
  return el("div", { class: "card", "data-on": String(on), "data-variant": String(number) },
    el("b", {}, shown.title), gains(shown), stateWords(shown),
    el("div", { class: "do" }, button), el("details", {}, el("summary", {}, "Details"), ...effect(shown)));
}

// "−1 task, −2 channels": the differences, buffers left to the details.
function gains(shown) {
  const steps = shown.figures.filter(([name, before, after]) => ["chains", "tasks", "channels", "slots"].includes(name) && before !== null && after !== null && before !== after);
  const chips = steps.map(([name, before, after]) => el("span", { class: `chip ${after < before ? "good" : "changed"}` }, `${after < before ? "−" : "+"}${count(Math.abs(after - before), FIGURES[name].slice(0, -1))}`));
  return el("p", { class: "chips" }, ...(chips.length ? chips.flatMap((chip) => [chip, " "]) : [el("span", { class: "muted" }, "tasks, channels and slots as before")]));
}

function stateWords(shown) {
  if (!shown.changedIds) return el("p", { class: "good" }, "Every operator keeps its id: a savepoint still fits.");
  return el("p", { class: shown.lost ? "bad" : "" }, `${shown.idWords}.`);
}

function effect(shown) {
  const names = (edges) => folded(edges.map((at) => edgeLink(at)), "edges", 6);
  const changed = shown.figures.filter(([, before, after]) => before !== after);
  return [
    shown.chained.length ? el("p", {}, `${count(shown.chained.length, "edge")} would chain:`) : null, shown.chained.length ? names(shown.chained) : null,
    shown.broken.length ? el("p", { class: "bad" }, "no longer chained:") : null, shown.broken.length ? names(shown.broken) : null,
    shown.stillBroken.length ? el("p", {}, "still not chained, for other reasons:") : null, shown.stillBroken.length ? names(shown.stillBroken) : null,
    shown.made.length ? el("p", {}, `new operators: ${shown.made.join("; ")}`) : null,
    shown.gone.length ? el("p", {}, `operators that go: ${shown.gone.join("; ")}`) : null,
    changed.length ? rows(changed.map(([name, before, after]) => [FIGURES[name] || name.replaceAll("_", " "), `${figure(before)} → ${figure(after)}`])) : null,
    shown.keep.length ? el("p", {}, data.keepWords[0]) : null,
    shown.keep.length ? el("pre", {}, shown.keep.map(([name, setting]) => `${name}: ${setting}`).join("\n")) : null,
    shown.keep.length ? el("p", { class: "muted" }, data.keepWords[1]) : null,
    shown.ids.length ? el("p", {}, "Operator ids that change:") : null,
    ...shown.ids.map(([name, before, after, state]) => el("p", {}, `${name} keeps ${state}`, el("br", {}), el("span", { class: "id" }, `${before} → ${after}`))),
    shown.changedIds > shown.ids.length ? el("p", { class: "muted" }, `and ${shown.changedIds - shown.ids.length} more`) : null,
  ].filter(Boolean);
}
