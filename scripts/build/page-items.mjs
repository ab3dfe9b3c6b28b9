// What a manual page says of a key or a word, as Markdown: of its lists `.It Li key` with the text below, of its tables `.It Ic word Ta … Ta text`.

/** By key; of a key with several entries the first, that of a table before those of lists: a word of the language may be a key elsewhere. */
export const itemsOf = (page) => {
  const items = {}
  for (const [, names, text] of page.matchAll(/^\.It Ic (.*?) Ta ".*?" Ta (.*)$/gm))
    for (const name of names.split(' , ')) items[name.replace(/ .*/, '')] ??= unescape(text.replace(/^"(.*)"$/, '$1'))
  for (const [list] of page.matchAll(/^\.Bl -tag[\s\S]*?^\.El$/gm))
    for (const [, names, text] of list.matchAll(/^\.It Li (.*)\n([\s\S]*?)(?=^\.It|^\.El)/gm))
      for (const name of names.split(' , ')) if (/^\w+$/.test(name)) items[name] ??= inWords(text)
  return items
}

const inWords = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('.Pp'))
    .map(inlineText)
    .join(' ')
    .replace(/\( /g, '(')

// The macros that lists of keys use. Words in quotes are one; signs that stand alone are not code.
const inlineText = (line) => {
  const [, macro, rest] = /^\.([A-Z][a-z]) ?(.*)$/.exec(line) ?? []
  if (macro === undefined) return unescape(line)
  const words = [...rest.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word.replace(/^"(.*)"$/, '$1'))
  if (macro === 'Pq') {
    const [, inner, signs] = /^(.*?)((?: [.,;:])*)$/.exec(rest)
    return `(${inlineText(`.${/^[A-Z][a-z] /.test(inner) ? inner : `No ${inner}`}`)})${signs.replaceAll(' ', '')}`
  }
  if (macro === 'Xr') return withSigns(words, ([name, section]) => `${name}(${section})`)
  if (macro === 'Sx' || macro === 'No' || macro === 'Em') return withSigns(words, (plain) => unescape(plain.join(' ')))
  if (macro === 'Nm') return withSigns(/^[a-z]/.test(rest) ? words : ['it', ...words], (plain) => plain.join(' ').replace('Fl Fl ', '--'))
  if (macro === 'Fl') return withSigns(words, (flags) => `\`-${flags.map((flag) => (flag === 'Fl' ? '-' : unescape(flag))).join('')}\``)
  return withSigns(words, (code) => `\`${unescape(code.filter((word) => !/^[A-Z][a-z]$/.test(word)).join(' '))}\``)
}

/** Runs of words by `print`, with the signs between and behind them as they are. */
const withSigns = (words, print) => {
  let text = ''
  let run = []
  const flush = () => {
    if (run.length > 0) text += `${text === '' || text.endsWith('(') ? '' : ' '}${print(run)}`
    run = []
  }
  for (const word of words) {
    if (!/^[.,;:)(]$/.test(word)) {
      run.push(word)
      continue
    }
    flush()
    text += word
  }
  flush()
  return text
}

const unescape = (text) =>
  text
    .replace(/\\fB(.*?)\\fP/g, '`$1`')
    .replace(/\\f[IP]/g, '')
    .replace(/\\\(dq/g, '"')
    .replace(/\\\(aq/g, "'")
    .replace(/\\&/g, '')
    .replace(/\\-/g, '-')
    .replace(/\\e/g, '\\')
