// The flame graph: zoom by click, search, one graph for each node.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const flame = document.querySelector(".flame");
  const detail = document.querySelector(".detail");
  const rows = document.querySelector(".sums tbody");
  const controls = document.querySelector(".controls");
  const { profile: choice, q: search, reset } = controls.elements;
  const status = controls.querySelector("output");
  const ROW = 20;
  const NARROWEST = 0.0004;
  const MOST_ROWS = 200;
  const ms = (us) => (us / 1000).toFixed(us < 100000 ? 2 : 0);
  const colour = (kind) => `var(--${kind})`;
  const element = (name, text) => {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  };

  for (const kind of data.kinds) {
    const label = element("span", kind);
    label.style.setProperty("--colour", colour(kind));
    controls.querySelector(".legend").append(label);
  }
  data.profiles.forEach((profile, at) => {
    const option = element("option", `${profile.name} (${ms(profile.total)} ms)`);
    option.value = at;
    choice.append(option);
  });

  // A spot: [kind, name, caller or -1, calls, total]. Callers come before what they call.
  const tree = (profile) => {
    const root = { kind: "node", name: profile.name, calls: 1, total: profile.total, children: [], parent: null };
    const spots = profile.spots.map(([kind, name, , calls, total]) => ({ kind: data.kinds[kind], name, calls, total, children: [], parent: null }));
    profile.spots.forEach(([, , caller], at) => {
      const parent = caller < 0 ? root : spots[caller];
      spots[at].parent = parent;
      parent.children.push(spots[at]);
    });
    const inside = root.children.reduce((sum, child) => sum + child.total, 0);
    root.total = Math.max(root.total, inside);
    for (const spot of [root, ...spots]) {
      spot.own = Math.max(0, spot.total - spot.children.reduce((sum, child) => sum + child.total, 0));
      spot.children.sort((one, other) => other.total - one.total);
    }
    return { root, spots };
  };

  let current;
  let focus;
  const isAbove = (spot) => {
    for (let at = focus.parent; at; at = at.parent) if (at === spot) return true;
    return false;
  };
  const describe = (spot) => `${spot.name} (${spot.kind}): ${ms(spot.total)} ms, own ${ms(spot.own)} ms, ${spot.calls} ${spot.calls === 1 ? "call" : "calls"}, ${(100 * spot.total / current.root.total).toFixed(1)} %`;

  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
    const matches = (spot) => words.every((word) => spot.name.toLowerCase().includes(word));
    const boxes = [];
    let depth = 0;
    const box = (spot, left, width, level) => {
      const made = element("div", spot.name);
      made.append(" ", element("small", spot.kind));
      made.tabIndex = 0;
      made.title = describe(spot);
      made.style.cssText = `left:${100 * left}%;width:${100 * width}%;top:${level * ROW}px`;
      made.style.setProperty("--colour", colour(spot.kind));
      made.classList.toggle("dim", words.length > 0 && !matches(spot));
      made.classList.toggle("above", isAbove(spot));
      made.spot = spot;
      boxes.push(made);
      depth = Math.max(depth, level);
    };
    const above = [];
    for (let at = focus.parent; at; at = at.parent) above.unshift(at);
    above.forEach((spot, level) => box(spot, 0, 1, level));
    const open = [[focus, 0, 1, above.length]];
    while (open.length > 0) {
      const [spot, left, width, level] = open.pop();
      if (width < NARROWEST) continue;
      box(spot, left, width, level);
      let at = left;
      for (const child of spot.children) {
        const own = spot.total > 0 ? width * child.total / spot.total : 0;
        open.push([child, at, own, level + 1]);
        at += own;
      }
    }
    flame.replaceChildren(...boxes);
    flame.style.height = `${(depth + 1) * ROW}px`;
    const found = words.length > 0 ? current.spots.filter(matches) : [];
    const outermost = found.filter((spot) => {
      for (let at = spot.parent; at; at = at.parent) if (matches(at)) return false;
      return true;
    });
    const time = outermost.reduce((sum, spot) => sum + spot.total, 0);
    status.textContent = words.length > 0 ? `${found.length} found, ${ms(time)} ms` : "";
    table(words.length > 0 ? matches : () => true);
    detail.textContent = describe(focus);
  };

  const table = (isShown) => {
    const sums = new Map();
    for (const spot of current.spots.filter(isShown)) {
      const key = `${spot.kind} ${spot.name}`;
      const sum = sums.get(key) ?? { name: spot.name, kind: spot.kind, own: 0, total: 0, calls: 0 };
      sum.own += spot.own;
      sum.calls += spot.calls;
      let within = false;
      for (let at = spot.parent; at; at = at.parent) within ||= at.kind === spot.kind && at.name === spot.name;
      if (!within) sum.total += spot.total;
      sums.set(key, sum);
    }
    const sorted = [...sums.values()].sort((one, other) => other.own - one.own).slice(0, MOST_ROWS);
    rows.replaceChildren(...sorted.map((sum) => {
      const row = document.createElement("tr");
      row.append(...[sum.name, sum.kind, ms(sum.own), ms(sum.total), sum.calls].map((text) => element("td", text)));
      return row;
    }));
  };

  const show = (at) => {
    current = tree(data.profiles[at]);
    focus = current.root;
    draw();
  };
  const zoom = (event) => {
    const target = event.target.closest(".flame div");
    if (!target) return;
    focus = target.spot;
    draw();
  };
  flame.addEventListener("click", zoom);
  flame.addEventListener("keydown", (event) => { if (event.key === "Enter") zoom(event); });
  flame.addEventListener("mouseover", (event) => {
    const target = event.target.closest(".flame div");
    detail.textContent = describe(target ? target.spot : focus);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") { focus = current.root; draw(); }
  });
  controls.addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", draw);
  choice.addEventListener("change", () => show(Number(choice.value)));
  reset.addEventListener("click", () => { focus = current.root; draw(); });
  controls.hidden = false;
  show(0);
})();
