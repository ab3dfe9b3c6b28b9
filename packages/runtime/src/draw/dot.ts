// A picture in Graphviz's language.

import { type Expansion, unreachable } from '@plumb/lang'
import { escapeControls } from '@plumb/wire'
import type { Theme } from '../options/render-options.js'
import { type Colours, PALETTES, type Palette } from './palette.js'
import type { Box, Picture, Wire } from './picture.js'

/** Rows that boxes in different frames share. */
export const NEWRANK = 'newrank=true, '

// Graphviz has the widths of this font; those of a list of fonts it would estimate.
const FONT = 'Helvetica'

export const toDot = ({ name, boxes, wires }: Picture, theme: Theme = 'none'): string => {
  const palette = PALETTES[theme]
  return [
    `digraph ${quote(name)} {`,
    `  graph [rankdir=TB, ${NEWRANK}bgcolor="${palette.background}", nodesep=0.35, ranksep=0.35, pad=0.15]`,
    `  node [shape=box, style="filled,rounded", fontname=${FONT}, fontsize=13, height=0.35, margin="0.1,0.03", penwidth=1.2]`,
    `  edge [fontname=${FONT}, fontsize=9.5, arrowsize=0.7, penwidth=1.2]`,
    ...frameLines(undefined, boxes, 0, palette),
    ...rank(
      'source',
      boxes.filter(({ kind }) => kind === 'input'),
    ),
    ...rank(
      'sink',
      boxes.filter(({ kind }) => kind === 'output'),
    ),
    ...wires.map((wire) => `  ${wireLine(wire, wires, palette)}`),
    '}',
    '',
  ].join('\n')
}

// The boxes of a frame, then its inner frames.
const frameLines = (frame: Expansion | undefined, boxes: readonly Box[], depth: number, palette: Palette): string[] => {
  const pad = '  '.repeat(depth + 1)
  const inner = new Set(boxes.flatMap((box) => box.frames[depth] ?? []))
  return [
    ...(frame ? [`${pad}graph [${frameLooks(frame, palette)}]`] : []),
    ...boxes.filter((box) => !box.frames[depth]).flatMap((box) => boxLines(box, palette).map((line) => pad + line)),
    ...[...inner].flatMap((f) => {
      const inside = boxes.filter((box) => box.frames[depth] === f)
      return [`${pad}subgraph ${quote(`cluster ${inside[0]?.id}`)} {`, ...frameLines(f, inside, depth + 1, palette), `${pad}}`]
    }),
  ]
}

const frameLooks = ({ name }: Expansion, { frame: { fill, line, text } }: Palette): string => {
  const font = `fontname=${FONT}, fontsize=11, fontcolor="${text}"`
  return `label=${quote(name)}, labeljust=l, ${font}, style="filled,rounded,dashed", fillcolor="${fill}", color="${line}", margin=10, tooltip=${quote(name)}`
}

const rank = (place: 'source' | 'sink', boxes: readonly Box[]): string[] =>
  boxes.length === 0 ? [] : [`  { rank=${place}; ${boxes.map(({ id }) => quote(id)).join('; ')} }`]

const boxLines = (box: Box, { boxes, tools }: Palette): string[] => {
  const colours = boxes[box.kind]
  const looks = [...shapeOf(box), `fillcolor="${colours.fill}"`, `color="${colours.line}"`, `fontcolor="${colours.text}"`]
  const line = `${quote(box.id)} [label=<${labelOf(box, colours)}>, ${looks.join(', ')}, tooltip=${quote(box.tip)}]`
  return box.tools.length === 0 ? [line] : [line, ...toolLines(box, tools)]
}

const shapeOf = ({ kind }: Box): string[] => {
  switch (kind) {
    case 'plumb':
      return ['penwidth=2.5']
    case 'map':
    case 'filter':
    case 'fold':
    case 'barrier':
    case 'each':
    case 'gather':
    case 'choice':
    case 'select':
    case 'failures':
      return ['style=filled']
    case 'input':
    case 'output':
    case 'channel':
      return ['shape=oval', 'style=filled', 'margin="0.02,0"']
    case 'inlet':
    case 'outlet':
      return ['shape=circle', 'width=0.12', 'height=0.12', 'fixedsize=true']
    case 'agent':
    case 'id':
    case 'copy':
    case 'merge':
    case 'discard':
    case 'flatten':
    case 'batch':
    case 'empty':
      return []
    default:
      return unreachable(kind)
  }
}

// The ends of a chain that could not be folded are dots.
const labelOf = (box: Box, colours: Colours): string => {
  if (box.kind === 'inlet' || box.kind === 'outlet') return escapeHtml('')
  const isAnonymous = box.title === box.kind && box.kind !== 'input' && box.kind !== 'output'
  const rows = [
    portRow(box, 'i', colours),
    isAnonymous ? `<TR><TD>${escapeHtml(box.title)}</TD></TR>` : `${ABOVE_BOLD}<TR><TD><B>${escapeHtml(box.title)}</B></TD></TR>`,
    box.detail === '' ? '' : `<TR><TD CELLPADDING="1">${small(box.detail, colours)}</TD></TR>`,
    portRow(box, 'o', colours),
  ]
  const middle = table(rows.join(''))
  const side = [...sideCells(box, 'i', colours), ...sideCells(box, 'o', colours)]
  return side.length === 0 ? middle : table(`<TR><TD>${middle}</TD><TD>${table(side.join(''))}</TD></TR>`)
}

const table = (rows: string): string => `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">${rows}</TABLE>`

// Graphviz sets bold text too high in its line.
const ABOVE_BOLD = '<TR><TD HEIGHT="2"></TD></TR>'

type Direction = 'i' | 'o'

const portsOf = (box: Box, direction: Direction): readonly string[] => (direction === 'i' ? box.inputs : box.outputs)

// Data goes through an agent from top to bottom; control and telemetry are at its right side.
const isAside = ({ kind }: Box, name: string | undefined): boolean => kind === 'agent' && /^(ctrl_in|ctrl_out|telemetry)$/.test(name ?? '')

// A single port needs no name.
const isNamed = (box: Box, direction: Direction): boolean => {
  const names = portsOf(box, direction)
  const plain = names.filter((name) => !isAside(box, name))
  return plain.length > 1 || plain.some((name) => !/^(input|output)$/.test(name))
}

const sideCells = (box: Box, direction: Direction, colours: Colours): string[] =>
  portsOf(box, direction).flatMap((name, i) =>
    isAside(box, name) ? [`<TR><TD ALIGN="RIGHT" CELLPADDING="3" PORT="${direction}${i}">${small(name, colours)}</TD></TR>`] : [],
  )

const portRow = (box: Box, direction: Direction, colours: Colours): string => {
  if (!isNamed(box, direction)) return ''
  const cells = portsOf(box, direction).flatMap((name, i) =>
    isAside(box, name) ? [] : [`<TD PORT="${direction}${i}">${small(name, colours)}</TD>`],
  )
  return `<TR><TD><TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="4"><TR>${cells.join('')}</TR></TABLE></TD></TR>`
}

const small = (text: string, { faint }: Colours): string => `<FONT POINT-SIZE="10" COLOR="${faint}">${escapeHtml(text)}</FONT>`

// A note beside the agent; its line has no arrow, since no wire leads there.
const toolLines = ({ id, tools }: Box, { fill, line, text }: Colours): string[] => {
  const note = quote(`${id} tools`)
  const label = tools.map((tool) => `${escapeHtml(tool)}<BR ALIGN="LEFT"/>`).join('')
  const looks = `shape=note, style=filled, fontsize=10, margin="0.12,0.06", fillcolor="${fill}", color="${line}", fontcolor="${text}"`
  return [
    `${note} [label=<${label}>, ${looks}, tooltip=${quote(`tools of ${id}`)}]`,
    `{ rank=same; ${quote(id)}; ${note} }`,
    `${quote(id)} -> ${note} [dir=none, style=dotted, color="${line}", edgetooltip=${quote(`${id} may call these tools`)}]`,
  ]
}

const wireLine = (wire: Wire, wires: readonly Wire[], palette: Palette): string => {
  const { from, output, to, input, label, tip, role, flow } = wire
  const colour = flow ? palette.flows[flow] : palette.wires[role]
  // A wire that closes a loop is laid out from its head to its tail, so that it goes up beside the loop and not through it.
  const isBack = isControlInput(wire) && leadsTo(to, from, wires)
  const looks = [
    ...(label === '' ? [] : [`label=${quote(` ${label} `)}`, `fontcolor="${colour}"`, `labeltooltip=${quote(tip)}`]),
    `color="${colour}"`,
    ...(flow ? ['penwidth=2.4'] : []),
    // Wires of data are the straightest.
    ...(role === 'data' ? ['weight=4'] : ['style=dashed']),
    ...(isBack ? ['dir=back'] : isControlInput(wire) ? ['constraint=false'] : []),
    ...(to.kind === 'inlet' || to.kind === 'outlet' ? ['arrowhead=none'] : []),
    `edgetooltip=${quote(tip)}`,
  ]
  const [tail, head] = [quote(from.id) + attachmentOf(from, 'o', output), quote(to.id) + attachmentOf(to, 'i', input)]
  return `${isBack ? `${head} -> ${tail}` : `${tail} -> ${head}`} [${looks.join(', ')}]`
}

/** Along data and replies. */
const leadsTo = (start: Box, end: Box, wires: readonly Wire[]): boolean => {
  const reached = new Set([start])
  for (const box of reached) for (const wire of wires) if (wire.from === box && !isControlInput(wire)) reached.add(wire.to)
  return reached.has(end)
}

const attachmentOf = (box: Box, direction: Direction, port: number | undefined): string => {
  if (port === undefined) return ''
  if (isAside(box, portsOf(box, direction)[port])) return `:${direction}${port}:e`
  return isNamed(box, direction) ? `:${direction}${port}:${direction === 'i' ? 'n' : 's'}` : ''
}

// The sender of control is where its data places it, not above the agent that it controls.
const isControlInput = ({ role, to, input }: Wire): boolean => role === 'control' && input !== undefined && to.inputs[input] === 'ctrl_in'

// In Graphviz's strings a backslash begins an escape and an ampersand an entity.
const quote = (text: string): string =>
  `"${escapeCharacters(text).replace(/&/g, '&amp;').replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`

// Graphviz ignores a label of white space.
const escapeHtml = (text: string): string => {
  const safe = escapeCharacters(text)
  if (safe.trim() === '') return '&#160;'
  return safe.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}

// Shows characters that XML cannot hold as escapes; keeps line ends.
const escapeCharacters = (text: string): string =>
  text
    .split('\n')
    .map(escapeControls)
    .join('\n')
    .replace(/[\ufffe\uffff]/g, '\ufffd')
