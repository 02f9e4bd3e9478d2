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
  return (key, values = {}) => {
    let label = key.split(".").reduce((table, name) => table?.[name], labels);
    if (label === undefined) throw new Error(`no label ${key}`);
    if (typeof label === "object") label = (values.n === 1 && label.one) || label.other;
    return label.replace(/\{(\w+)\}/g, (whole, name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`label ${key} wants ${name}`);
      return name === "n" ? counted(value) : value;
    });
  };
}

// A count with its thousands apart; ranks are names, so they are written without.
export const counted = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
