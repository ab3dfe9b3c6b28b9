// A picture in Mermaid's language, as the pages of code hosts and wikis draw it.

import type { Expansion } from '@plumb/lang'
import { escapeControls } from '@plumb/wire'
import type { Direction } from '../options/render-options.js'
import type { NodeKind } from './describe.js'
import { type Colours, PALETTES } from './palette.js'
import type { Box, Picture, Wire } from './picture.js'

/** The program that draws it brings the background. */
const COLOURS = PALETTES.none

export const toMermaid = ({ boxes, wires }: Picture, direction: Direction = 'down'): string => {
  const ids = new Map(boxes.map((box, i) => [box, `n${i}`]))
  const kinds = [...new Set(boxes.map((box) => box.kind))]
  const noted = boxes.filter((box) => box.tools.length > 0)
  const lines = [
    `flowchart ${direction === 'right' ? 'LR' : 'TB'}`,
    ...within(boxes, ids, 0),
    ...wires.map((wire) => wireLine(wire, ids)),
    ...noted.map((box) => `${ids.get(box)} -.- ${ids.get(box)}t`),
    ...kinds.map((kind) => classLine(kind, COLOURS.boxes[kind])),
    ...(noted.length > 0 ? [classLine('tools', COLOURS.tools)] : []),
    ...wireColours(wires),
  ]
  return `${lines.map((line, i) => (i === 0 ? line : `  ${line}`)).join('\n')}\n`
}

const within = (boxes: readonly Box[], ids: ReadonlyMap<Box, string>, depth: number): string[] => {
  const frames = new Set(boxes.flatMap((box) => box.frames[depth] ?? []))
  return [
    ...boxes.filter((box) => !box.frames[depth]).flatMap((box) => boxLines(box, ids.get(box) ?? '')),
    ...[...frames].flatMap((frame) =>
      frameLines(
        frame,
        boxes.filter((box) => box.frames[depth] === frame),
        ids,
        depth,
      ),
    ),
  ]
}

const frameLines = (frame: Expansion, boxes: readonly Box[], ids: ReadonlyMap<Box, string>, depth: number): string[] => {
  const [first] = boxes
  return [
    `subgraph ${first ? ids.get(first) : ''}f${depth}["${text(frame.name)}"]`,
    ...within(boxes, ids, depth + 1).map((line) => `  ${line}`),
    'end',
  ]
}

const boxLines = (box: Box, id: string): string[] => {
  const [open, close] = SHAPES[box.kind]
  const label = box.detail === '' ? text(box.title) : `${text(box.title)}<br/>${text(box.detail)}`
  const tools = box.tools.length === 0 ? [] : [`${id}t>"${box.tools.map(text).join('<br/>')}"]:::tools`]
  return [`${id}${open}"${label}"${close}:::${className(box.kind)}`, ...tools]
}

const SHAPES: Readonly<Record<NodeKind, readonly [string, string]>> = {
  input: ['([', '])'],
  output: ['([', '])'],
  agent: ['(', ')'],
  plumb: ['[[', ']]'],
  map: ['[', ']'],
  fold: ['[', ']'],
  filter: ['[\\', '/]'],
  barrier: ['[', ']'],
  each: ['[', ']'],
  gather: ['[', ']'],
  choice: ['[', ']'],
  select: ['[', ']'],
  failures: ['(', ')'],
  discard: ['(', ')'],
  flatten: ['(', ')'],
  batch: ['(', ')'],
  empty: ['(', ')'],
  id: ['(', ')'],
  copy: ['(', ')'],
  merge: ['(', ')'],
  channel: ['([', '])'],
  conversation: ['([', '])'],
  inlet: ['((', '))'],
  outlet: ['((', '))'],
}

const wireLine = (wire: Wire, ids: ReadonlyMap<Box, string>): string => {
  const arrow = wire.role === 'data' ? '-->' : '-.->'
  const label = [portsOf(wire), wire.label].filter((part) => part !== '').join(' · ')
  return `${ids.get(wire.from)} ${arrow}${label === '' ? '' : `|"${text(label)}"|`} ${ids.get(wire.to)}`
}

// Where Mermaid has no place at the box, a port is named on the wire, unless it goes without saying.
const portsOf = ({ from, output, to, input }: Wire): string => {
  const ends = [output === undefined ? '' : (from.outputs[output] ?? ''), input === undefined ? '' : (to.inputs[input] ?? '')]
  return [...new Set(ends)].filter((name) => name !== '' && name !== 'input' && name !== 'output').join(' → ')
}

const classLine = (kind: NodeKind | 'tools', { fill, line, text: colour }: Colours): string =>
  `classDef ${className(kind)} fill:${fill},stroke:${line},color:${colour}`

// Words of its grammar cannot name a class.
const className = (kind: NodeKind | 'tools'): string => `${kind}Box`

const wireColours = (wires: readonly Wire[]): string[] => [
  ...(['control', 'telemetry'] as const).flatMap((role) =>
    linkStyle(wires, (wire) => wire.role === role && !wire.flow, COLOURS.wires[role]),
  ),
  ...(['untrusted', 'secret', 'both'] as const).flatMap((flow) => linkStyle(wires, (wire) => wire.flow === flow, COLOURS.flows[flow])),
]

const linkStyle = (wires: readonly Wire[], isMeant: (wire: Wire) => boolean, colour: string): string[] => {
  const indexes = wires.flatMap((wire, i) => (isMeant(wire) ? [i] : []))
  return indexes.length === 0 ? [] : [`linkStyle ${indexes.join(',')} stroke:${colour}`]
}

// Whatever means something to Mermaid, to Markdown or to HTML is written as the number of its character. A colon does so before a word only.
const text = (plain: string): string => {
  const safe = escapeControls(plain).replace(/["#$%&*;<>@\\`|~\ufffe\uffff]|:(?!\s)/g, (c) => `#${c.charCodeAt(0)};`)
  return safe.trim() === '' ? '#160;' : safe
}
