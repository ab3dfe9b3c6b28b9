// A run that goes on: what has changed of its page takes the place of what was there.

import { forgetArticles } from './held.js'
import { choose, chosenSeq, hold } from './pane.js'
import { heldRows } from './rows.js'
import { fetchedPage, fetchedVersion, isServed } from './server.js'

const POLL_MS = 1000

export const enableLive = (refreshed: () => void): void => {
  if (!isServed) return
  let version: string | undefined
  const look = async (): Promise<void> => {
    const began = performance.now()
    const now = await fetchedVersion()
    if (version !== undefined && now !== undefined && now !== version && (await replace())) refreshed()
    version = now ?? version
    // A large record is read for a while, and not all the time.
    setTimeout(() => void look(), Math.max(POLL_MS, 3 * (performance.now() - began)))
  }
  void look()
}

const PARTS = ['header > .facts', '#verdict', '#growing', '#timeline', '#processes', '#errors']

const replace = async (): Promise<boolean> => {
  const fresh = await fetchedPage()
  if (!fresh) return false
  for (const selector of PARTS) {
    const [before, after] = [document.querySelector(selector), fresh.querySelector(selector)]
    if (before && after) before.replaceWith(document.adoptNode(after))
    else if (selector === '#growing' && after) document.getElementById('verdict')?.after(document.adoptNode(after))
    else if (after) document.querySelector('main')?.append(document.adoptNode(after))
    else if (selector === '#growing') before?.remove()
  }
  const [inputs, freshInputs] = [document.getElementById('inputs'), fresh.getElementById('inputs')]
  if (inputs && freshInputs) inputs.dataset.total = freshInputs.dataset.total ?? ''
  document.body.dataset.served = fresh.body.dataset.served
  forgetArticles(chosenSeq())
  await hold(fresh)
  const seq = chosenSeq() || (heldRows()[0]?.seq ?? '')
  if (seq !== '') await choose(seq, { isFresh: true })
  for (const element of document.querySelectorAll<HTMLElement>('[data-script]')) element.hidden = false
  return true
}
