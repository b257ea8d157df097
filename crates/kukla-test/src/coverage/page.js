document.querySelectorAll('table.files th').forEach((head, column) => head.addEventListener('click', () => {
  const body = head.closest('table').tBodies[0];
  const sign = head.dataset.sorted === 'up' ? -1 : 1;
  const value = row => row.cells[column].dataset.value;
  const compare = (a, b) => column ? value(a) - value(b) : a.cells[0].textContent.localeCompare(b.cells[0].textContent);
  head.dataset.sorted = sign > 0 ? 'up' : 'down';
  [...body.rows].sort((a, b) => sign * compare(a, b)).forEach(row => body.append(row));
}));
