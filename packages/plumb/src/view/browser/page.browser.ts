// The script of the page, which can be read without it.

import { enableBarKeys } from './bar-keys.js'

for (const element of document.querySelectorAll<HTMLElement>('[data-script]')) element.hidden = false

// The target of a link may be inside a folded part.
const openTarget = (): void => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let element = target?.parentElement; element; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true
  }
  target?.querySelector('details')?.setAttribute('open', '')
  target?.scrollIntoView({ block: 'center' })
}
addEventListener('hashchange', openTarget)
if (location.hash.length > 1) openTarget()

const SEARCH_DELAY_MS = 150

/** The search field hides all that does not hold its text. */
const enableSearch = (): void => {
  const field = document.getElementById('find') as HTMLInputElement | null
  const found = document.getElementById('found')
  if (!field || !found) return
  const items = [...document.querySelectorAll<HTMLElement>('.messages > li, .turns > li, tbody > tr')]
  let timer: ReturnType<typeof setTimeout> | undefined

  const find = (): void => {
    const wanted = field.value.trim().toLowerCase()
    let count = 0
    for (const item of items) {
      const isFound = wanted === '' || (item.textContent ?? '').toLowerCase().includes(wanted)
      item.hidden = !isFound
      if (isFound) count++
    }
    found.textContent = wanted === '' ? '' : `${count} found`
    if (wanted === '') return
    for (const fold of document.querySelectorAll<HTMLDetailsElement>('details.wire'))
      fold.open = fold.querySelector('.messages > li:not([hidden])') !== null
  }
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(find, SEARCH_DELAY_MS)
  })
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    field.focus()
  })
}

/** The number of an input marks everything that came of it. */
const enableFollowing = (): void => {
  let followed = ''
  addEventListener('click', ({ target }) => {
    const seq = (target as Element).closest<HTMLElement>('[data-follow]')?.dataset.follow
    if (seq === undefined) return
    followed = followed === seq ? '' : seq
    document.body.classList.toggle('following', followed !== '')
    for (const element of document.querySelectorAll<HTMLElement | SVGElement>('[data-seq]'))
      element.classList.toggle('followed', followed !== '' && element.dataset.seq === followed)
    for (const button of document.querySelectorAll<HTMLElement>('[data-follow]'))
      button.setAttribute('aria-pressed', String(followed !== '' && button.dataset.follow === followed))
  })
}

enableBarKeys()
enableSearch()
enableFollowing()
