// Searches the names of the site. Rows of NAMES are [name, kind, page, summary]; UP leads to the directory of the site.
const input = document.getElementById('search');
const results = document.getElementById('results');
let selected = 0;

// A lower number is a better match; undefined is none.
function score(name, summary, words) {
  let total = name.length / 100;
  for (const word of words) {
    const at = name.indexOf(word);
    if (name === word) total -= 5;
    else if (at === 0 || (at > 0 && !/[a-z0-9]/.test(name[at - 1]))) total += 1;
    else if (at > 0) total += 2;
    else if (summary.includes(word)) total += 5;
    else return undefined;
  }
  return total;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  if (words.length) {
    for (const row of NAMES) {
      const rank = score(row[0].toLowerCase(), row[3].toLowerCase(), words);
      if (rank !== undefined) found.push([rank + (row[1] === 'parameter' ? 0.5 : 0), row]);
    }
  }
  found.sort((a, b) => a[0] - b[0] || (a[1][0] < b[1][0] ? -1 : 1));
  results.replaceChildren(...found.slice(0, 40).map(([, [name, kind, page, summary]]) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = UP + page;
    link.textContent = name + ' ';
    const label = document.createElement('span');
    label.className = 'kind';
    label.textContent = kind;
    link.append(label, summary ? ' ' + summary : '');
    link.addEventListener('click', () => { results.hidden = true; });
    item.append(link);
    return item;
  }));
  selected = 0;
  mark();
  results.hidden = found.length === 0;
}

function mark() {
  [...results.children].forEach((item, at) => item.setAttribute('aria-selected', at === selected));
  results.children[selected]?.scrollIntoView({ block: 'nearest' });
}

input.addEventListener('input', show);
input.addEventListener('focus', show);
input.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    selected = Math.max(0, Math.min(results.children.length - 1, selected + step));
    mark();
    event.preventDefault();
  } else if (event.key === 'Enter') {
    results.children[selected]?.firstChild.click();
  } else if (event.key === 'Escape') {
    results.hidden = true;
    input.blur();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    input.focus();
    event.preventDefault();
  }
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) results.hidden = true;
});
