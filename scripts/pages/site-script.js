// One page at a time by the address, search over all of them, copying, and the theme. Nothing is fetched: all is in this document.

const root = document.documentElement
root.classList.add('js')
const articles = [...document.querySelectorAll('article')]
const search = document.querySelector('#search')
const results = document.querySelector('#results')
const main = document.querySelector('main')

const show = () => {
  const id = decodeURIComponent(location.hash.slice(1))
  const target = id === '' ? null : document.getElementById(id)
  const article = target?.closest('article') ?? articles[0]
  for (const one of articles) one.classList.toggle('shown', one === article)
  results.hidden = true
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = link.hash === `#${article.id}`
    link.toggleAttribute('aria-current', isHere)
    if (isHere || link.parentElement.querySelector('ul')) link.parentElement.classList.toggle('open', isHere)
  }
  document.title = `${article.dataset.title} - plumb`
  if (target !== null && target !== article) target.scrollIntoView()
  else scrollTo(0, 0)
}

/** What can be found: each heading, item, paragraph, cell row and listing, with the place that leads to it. */
let places
const placesOf = () => {
  if (places !== undefined) return places
  places = []
  for (const article of articles) {
    let place = article
    for (const element of article.querySelectorAll('h1, h2, h3, p, dt, tr, pre')) {
      if (element.id !== '') place = element
      const text = element.textContent.replace(/\s+/g, ' ').trim()
      places.push({ article, place, text, lower: text.toLowerCase(), weight: /^H|DT/.test(element.tagName) ? 2 : 1 })
    }
  }
  return places
}

const LIMIT = 60

const find = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) {
    show()
    return
  }
  const found = placesOf()
    .filter(({ lower }) => words.every((word) => lower.includes(word)))
    .sort((a, b) => b.weight - a.weight)
  for (const one of articles) one.classList.remove('shown')
  results.hidden = false
  const list = results.querySelector('ul')
  list.replaceChildren(...found.slice(0, LIMIT).map((one) => entryOf(one, words)))
  const shown = found.length > LIMIT ? `, the first ${LIMIT} of them` : ''
  results.querySelector('p').textContent = found.length === 0 ? 'Nothing found. Try fewer words.' : `${found.length} found${shown}`
}

const entryOf = ({ article, place, text, lower }, words) => {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  link.href = `#${place.id}`
  link.textContent = place === article ? article.dataset.title : `${article.dataset.title}: ${place.textContent.replace(/ #$/, '')}`
  const from = Math.max(0, lower.indexOf(words[0]) - 60)
  const excerpt = document.createElement('div')
  mark(excerpt, text.slice(from, from + 200), words)
  entry.append(link, excerpt)
  return entry
}

const mark = (element, text, words) => {
  const lower = text.toLowerCase()
  let at = 0
  while (at < text.length) {
    const next = words
      .map((word) => [lower.indexOf(word, at), word.length])
      .filter(([start]) => start >= 0)
      .sort((a, b) => a[0] - b[0])[0]
    if (next === undefined) break
    const marked = document.createElement('mark')
    marked.textContent = text.slice(next[0], next[0] + next[1])
    element.append(text.slice(at, next[0]), marked)
    at = next[0] + next[1]
  }
  element.append(text.slice(at))
}

/** Of a session the commands, without prompts and without what they printed. */
const copied = (figure) => {
  const text = figure.querySelector('code').textContent
  if (figure.dataset.language !== 'console') return text
  return `${text
    .split('\n')
    .filter((line) => /^[$>] /.test(line))
    .map((line) => line.slice(2))
    .join('\n')}\n`
}

/** A file that is opened from the disk may have no clipboard; then the text is selected and copied as by hand. */
const copy = async (text) => {
  if (
    navigator.clipboard !== undefined &&
    (await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    ))
  )
    return
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

main.addEventListener('click', async ({ target }) => {
  if (!target.matches('.copy')) return
  await copy(copied(target.closest('figure')))
  target.textContent = 'Copied'
  setTimeout(() => (target.textContent = 'Copy'), 1500)
})

const THEMES = ['auto', 'light', 'dark']
const theme = document.querySelector('#theme')
const stored = (value) => {
  try {
    if (value !== undefined) localStorage.setItem('theme', value)
    return localStorage.getItem('theme') ?? 'auto'
  } catch {
    return value ?? 'auto'
  }
}
const setTheme = (name) => {
  if (name === 'auto') root.removeAttribute('data-theme')
  else root.dataset.theme = name
  theme.textContent = `Theme: ${name}`
  theme.dataset.name = name
}
theme.addEventListener('click', () => {
  const next = THEMES[(THEMES.indexOf(theme.dataset.name) + 1) % THEMES.length]
  stored(next)
  setTheme(next)
})

addEventListener('hashchange', () => {
  search.value = ''
  show()
})
search.addEventListener('input', find)
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === 'Escape' && document.activeElement === search) {
    search.value = ''
    search.blur()
    show()
  }
})
setTheme(stored())
show()
