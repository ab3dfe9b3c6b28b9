// The wiring of a page in the colours of its theme: the picture is drawn once, and its colours are exchanged by the style.

import { PALETTES, recoloured } from '@plumb/runtime/draw'

/** Words on wires, which are of medium brightness so that they read on any page: darker on a white one. */
const LIGHT_WORDS: readonly (readonly [string, string])[] = [
  ['#76808e', '#5b6675'],
  ['#d2691e', '#a04f10'],
  ['#1590a0', '#0f7280'],
  ['#7f8997', '#5f6976'],
]
/** Of what has failed. */
const BAD = ['#c0392b', '#ff9a91'] as const

const rule = (what: string, from: string, to: string): string => `.picture ${what}[fill="${from}"]{fill:${to}}`

export const wiringStyle = (): string => {
  const light = LIGHT_WORDS.map(([from, to]) => rule('text', from, to))
  const dark = [...recoloured(PALETTES.none, PALETTES.dark), BAD].flatMap(([from, to]) => [
    `.picture [fill="${from}"]{fill:${to}}`,
    `.picture [stroke="${from}"]{stroke:${to}}`,
  ])
  // Graphviz leaves the blackest black out.
  const plain = '.picture text:not([fill]){fill:#e4e8ee}'
  return `${light.join('')}@media screen and (prefers-color-scheme: dark){${dark.join('')}${LIGHT_WORDS.map(([from]) => rule('text', from, '#a3adba')).join('')}${plain}}`
}
