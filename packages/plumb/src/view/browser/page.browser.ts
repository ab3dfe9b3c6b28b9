// What runs on the page: everything can be read without it.

import { barKeys } from './bar-keys.js'
import { finding } from './finding.js'
import { following } from './following.js'

for (const element of document.querySelectorAll<HTMLElement>('[data-script]')) element.hidden = false

// What is linked to may stand in something that is folded.
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

barKeys()
finding()
following()
