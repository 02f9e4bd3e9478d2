// The labels of one language, as assets/text/<language>/labels.toml has them. Python reads the same file.

const catalogues = new Map();

// Loads a language's catalogue once; gives words("card.rank", {rank: 3}).
export function load(language) {
  const url = new URL(`../../text/${language}.json`, import.meta.url).href;
  if (!catalogues.has(url)) {
    const fetched = fetch(url).then((answer) => {
      if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
      return answer.json();
    });
    fetched.catch(() => catalogues.delete(url)); // the next call tries again
    catalogues.set(url, fetched.then(wordsOf));
  }
  return catalogues.get(url);
}

function wordsOf(labels) {
  const known = new Map(); // each label taken apart once: the card asks for some thirty on every hover
  return (key, values = {}) => {
    let label = known.get(key);
    if (!label) known.set(key, (label = takenApart(key, labels)));
    const parts = (values.n === 1 && label.one) || label.other;
    let text = parts[0];
    for (let place = 1; place < parts.length; place += 2) {
      const value = values[parts[place]];
      if (value === undefined) throw new Error(`label ${key} wants ${parts[place]}`);
      text += (parts[place] === "n" ? counted(value) : value) + parts[place + 1];
    }
    return text;
  };
}

// A label as what stands between its places and the places' names in turn: "a {b} c" is ["a ", "b", " c"].
function takenApart(key, labels) {
  const label = key.split(".").reduce((table, name) => table?.[name], labels);
  if (label === undefined) throw new Error(`no label ${key}`);
  const forms = typeof label === "object" ? label : { other: label };
  const apart = (form) => form?.split(/\{(\w+)\}/);
  return { one: apart(forms.one), other: apart(forms.other) };
}

// A count with its thousands apart; ranks are names, so they are written without.
export const counted = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
