// Search and filters. The page is complete without this script, which only hides and shows.
(() => {
  "use strict";
  const controls = document.querySelector(".controls");
  const search = controls.elements.q;
  const kinds = [...controls.querySelectorAll("input[name=kind]")];
  const status = controls.querySelector("output");
  const textOf = (element) => element.textContent.toLowerCase();
  const changes = (within) => [...within.querySelectorAll(".change")].map((element) => ({
    element, kind: element.dataset.kind, text: textOf(element),
  }));
  const groups = [...document.querySelectorAll(".group")].map((element) => ({
    element,
    wasOpen: element.open,
    head: textOf(element.querySelector("summary")) + " " + [...element.querySelectorAll(".nodes")].map(textOf).join(" "),
    changes: changes(element),
  }));
  const rows = [...document.querySelectorAll("table.list tbody tr")].map((element) => ({ element, text: textOf(element) }));

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
    const hidden = new Set(kinds.filter((kind) => !kind.checked).map((kind) => kind.value));
    const isFiltered = words.length > 0 || hidden.size > 0;
    let shown = 0;
    let all = 0;
    for (const group of groups) {
      let own = 0;
      for (const change of group.changes) {
        const matches = words.every((word) => change.text.includes(word) || group.head.includes(word));
        const isShown = matches && !hidden.has(change.kind);
        change.element.hidden = !isShown;
        own += isShown ? 1 : 0;
      }
      shown += own;
      all += group.changes.length;
      const isBare = group.changes.length === 0;
      group.element.hidden = isBare ? !words.every((word) => group.head.includes(word)) : own === 0;
      group.element.open = words.length > 0 ? own > 0 : group.wasOpen;
    }
    for (const row of rows) {
      row.element.hidden = !words.every((word) => row.text.includes(word));
    }
    status.textContent = isFiltered ? `${shown} of ${all} changes` : "";
  };

  // The address holds the search and the filters, so that a link shows the same view.
  const remember = () => {
    const state = new URLSearchParams();
    if (search.value) state.set("q", search.value);
    const hidden = kinds.filter((kind) => !kind.checked).map((kind) => kind.value);
    if (hidden.length > 0) state.set("hide", hidden.join(" "));
    const text = state.toString();
    try {
      history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
    } catch {
      // A page that was opened in a frame may not change its address.
    }
  };
  const recall = () => {
    const fragment = location.hash.slice(1);
    const target = fragment && document.getElementById(fragment);
    if (target) {
      target.open = true;
      target.scrollIntoView();
      return;
    }
    const state = new URLSearchParams(fragment);
    const hidden = new Set((state.get("hide") ?? "").split(" "));
    search.value = state.get("q") ?? "";
    for (const kind of kinds) kind.checked = !hidden.has(kind.value);
    apply();
  };

  const changed = () => { apply(); remember(); };
  const foldAll = (isOpen) => {
    for (const group of groups) group.element.open = group.wasOpen = isOpen;
  };
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", changed);
  controls.elements.unfold.addEventListener("click", () => foldAll(true));
  controls.elements.fold.addEventListener("click", () => foldAll(false));
  addEventListener("hashchange", recall);
  controls.hidden = false;
  recall();
})();
