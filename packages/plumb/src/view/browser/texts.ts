// The texts of an input as they are looked at: Markdown or raw, and each with a button that copies it.

import { hasMarks, showMarkdown } from './markdown.js'

/** What was written, by where it is shown. */
const written = new WeakMap<Element, string>()

let isRaw = false

const SAID_MS = 1500

const writtenIn = (element: Element): string => written.get(element) ?? element.textContent ?? ''

/** The text of a part, as it was written where its Markdown is shown. */
export const writtenText = (part: Element): string => {
  const shown = [...part.querySelectorAll('.prose.markdown')]
  if (shown.length === 0) return part.textContent ?? ''
  const copy = part.cloneNode(true) as Element
  for (const [i, prose] of [...copy.querySelectorAll('.prose.markdown')].entries()) {
    const original = shown[i]
    if (original) prose.textContent = writtenIn(original)
  }
  return copy.textContent ?? ''
}

const show = (prose: HTMLElement, raw: boolean): void => {
  const text = writtenIn(prose)
  if (!hasMarks(text)) return
  written.set(prose, text)
  const isMarkdown = !raw
  if (prose.classList.contains('markdown') === isMarkdown) return
  prose.classList.toggle('markdown', isMarkdown)
  prose.replaceChildren(isMarkdown ? showMarkdown(text) : document.createTextNode(text))
}

/** Of one input, or another part of the page, which is looked at now. */
export const prepare = (part: Element): void => {
  for (const prose of part.querySelectorAll<HTMLElement>('.prose')) show(prose, isRaw)
  for (const say of part.querySelectorAll<HTMLElement>('.say:not(.copyable)')) addCopy(say)
}

export const showRaw = (part: Element): void => {
  for (const prose of part.querySelectorAll<HTMLElement>('.prose')) show(prose, true)
}

const addCopy = (say: HTMLElement): void => {
  const source = say.querySelector('.prose, pre')
  if (!source) return
  say.classList.add('copyable')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  // Its word is drawn by the style, so that a search does not find it.
  const label = (word: string) => {
    button.setAttribute('aria-label', word)
  }
  label('copy')
  button.addEventListener('click', () => {
    const done = (isDone: boolean) => {
      label(isDone ? 'copied' : 'not copied')
      setTimeout(label, SAID_MS, 'copy')
    }
    const copying = navigator.clipboard?.writeText(writtenIn(source))
    if (copying) copying.then(() => done(true)).catch(() => done(false))
    else done(false)
  })
  say.append(button)
}

/** `current`: the part that is looked at. */
export const enableRaw = (current: () => Element | undefined): void => {
  const button = document.getElementById('raw')
  button?.addEventListener('click', () => {
    isRaw = !isRaw
    button.setAttribute('aria-pressed', String(isRaw))
    const part = current()
    if (part) prepare(part)
  })
}
