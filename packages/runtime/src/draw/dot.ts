// A picture in Graphviz's language.

import { type Expansion, unreachable } from '@plumb/lang'
import { escapeControls } from '@plumb/wire'
import type { Direction, Theme } from '../options/render-options.js'
import { type Colours, PALETTES, type Palette } from './palette.js'
import type { Box, Picture, Wire } from './picture.js'

/** Rows that boxes in different frames share. */
export const NEWRANK = 'newrank=true, '

// Graphviz has the widths of this font; those of a list of fonts it would estimate.
const FONT = 'Helvetica'

export const toDot = ({ name, boxes, wires }: Picture, theme: Theme = 'none', direction: Direction = 'down'): string => {
  const palette = PALETTES[theme]
  const look = { palette, isRight: direction === 'right' }
  const bypasses = bypassesOf(wires)
  return [
    `digraph ${quote(name)} {`,
    `  graph [rankdir=${look.isRight ? 'LR' : 'TB'}, ${NEWRANK}bgcolor="${palette.background}", nodesep=0.35, ranksep=0.35, pad=0.15]`,
    `  node [shape=box, style="filled,rounded", fontname=${FONT}, fontsize=13, height=0.35, margin="0.1,0.03", penwidth=1.2]`,
    `  edge [fontname=${FONT}, fontsize=9.5, arrowsize=0.7, penwidth=1.2]`,
    ...[...bypasses].map((wire) => `  ${bypassNode(wire, wires, palette)}`),
    ...frameLines(undefined, boxes, 0, look),
    ...rank(
      'source',
      boxes.filter(({ kind }) => kind === 'input'),
    ),
    ...rank(
      'sink',
      boxes.filter(({ kind }) => kind === 'output'),
    ),
    ...wires.map((wire) => `  ${wireLine(wire, { wires, bypasses }, look)}`),
    '}',
    '',
  ].join('\n')
}

interface Look {
  readonly palette: Palette
  /** Data goes to the right, and not down. */
  readonly isRight: boolean
}

// The boxes of a frame, then its inner frames.
const frameLines = (frame: Expansion | undefined, boxes: readonly Box[], depth: number, look: Look): string[] => {
  const { palette } = look
  const pad = '  '.repeat(depth + 1)
  const inner = new Set(boxes.flatMap((box) => box.frames[depth] ?? []))
  return [
    ...(frame ? [`${pad}graph [${frameLooks(frame, palette)}]`] : []),
    ...boxes.filter((box) => !box.frames[depth]).flatMap((box) => boxLines(box, look).map((line) => pad + line)),
    ...[...inner].flatMap((f) => {
      const inside = boxes.filter((box) => box.frames[depth] === f)
      return [`${pad}subgraph ${quote(`cluster ${inside[0]?.id}`)} {`, ...frameLines(f, inside, depth + 1, look), `${pad}}`]
    }),
  ]
}

const frameLooks = ({ name }: Expansion, { frame: { fill, line, text } }: Palette): string => {
  const font = `fontname=${FONT}, fontsize=11, fontcolor="${text}"`
  return `label=${quote(name)}, labeljust=l, ${font}, style="filled,rounded,dashed", fillcolor="${fill}", color="${line}", margin=10, tooltip=${quote(name)}`
}

const rank = (place: 'source' | 'sink', boxes: readonly Box[]): string[] =>
  boxes.length === 0 ? [] : [`  { rank=${place}; ${boxes.map(({ id }) => quote(id)).join('; ')} }`]

const boxLines = (box: Box, { palette: { boxes, tools }, isRight }: Look): string[] => {
  const colours = boxes[box.kind]
  const looks = [...shapeOf(box), `fillcolor="${colours.fill}"`, `color="${colours.line}"`, `fontcolor="${colours.text}"`]
  const line = `${quote(box.id)} [label=<${labelOf(box, colours, isRight)}>, ${looks.join(', ')}, tooltip=${quote(box.tip)}]`
  return box.tools.length === 0 ? [line] : [line, ...toolLines(box, tools)]
}

const shapeOf = (box: Box): string[] => {
  const { kind } = box
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
    case 'conversation':
      return ['shape=oval', 'style=filled', 'margin="0.02,0"']
    case 'inlet':
    case 'outlet':
      return ['shape=circle', 'width=0.12', 'height=0.12', 'fixedsize=true']
    case 'agent':
      return hasAside(box) ? ['margin=0'] : []
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
const labelOf = (box: Box, colours: Colours, isRight: boolean): string => {
  if (box.kind === 'inlet' || box.kind === 'outlet') return escapeHtml('')
  const isAnonymous = box.title === box.kind && box.kind !== 'input' && box.kind !== 'output'
  const words = [
    isAnonymous ? `<TR><TD>${escapeHtml(box.title)}</TD></TR>` : `${ABOVE_BOLD}<TR><TD><B>${escapeHtml(box.title)}</B></TD></TR>`,
    box.detail === '' ? '' : `<TR><TD CELLPADDING="1">${small(box.detail, colours)}</TD></TR>`,
  ]
  const aside = [...asideCells(box, 'i', colours), ...asideCells(box, 'o', colours)]
  if (isRight) {
    const across = [portColumn(box, 'i', colours), `<TD>${table(words.join(''))}</TD>`, portColumn(box, 'o', colours)]
    const middle = table(`<TR>${across.join('')}</TR>`)
    return aside.length === 0 ? middle : table(`<TR>${[inside(middle), ...aside].join('')}</TR>`)
  }
  const middle = table([portRow(box, 'i', colours), ...words, portRow(box, 'o', colours)].join(''))
  return aside.length === 0 ? middle : table([inside(middle), ...aside].map((cell) => `<TR>${cell}</TR>`).join(''))
}

// Beside cells that reach the edge of the box.
const inside = (middle: string): string => `<TD CELLPADDING="5">${middle}</TD>`

const table = (rows: string): string => `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">${rows}</TABLE>`

// Graphviz sets bold text too high in its line.
const ABOVE_BOLD = '<TR><TD HEIGHT="2"></TD></TR>'

type Side = 'i' | 'o'

const portsOf = (box: Box, direction: Side): readonly string[] => (direction === 'i' ? box.inputs : box.outputs)

// Data goes through an agent from top to bottom. Control and telemetry have a row each from side to side, which is left by the nearer one; to
// the right, a column from top to bottom.
const isAside = ({ kind }: Box, name: string | undefined): boolean => kind === 'agent' && /^(ctrl_in|ctrl_out|telemetry)$/.test(name ?? '')

// A single port needs no name.
const isNamed = (box: Box, direction: Side): boolean => {
  const names = portsOf(box, direction)
  const plain = names.filter((name) => !isAside(box, name))
  return plain.length > 1 || plain.some((name) => !/^(input|output)$/.test(name))
}

const asideCells = (box: Box, direction: Side, colours: Colours): string[] =>
  portsOf(box, direction).flatMap((name, i) =>
    isAside(box, name) ? [`<TD CELLPADDING="3" PORT="${direction}${i}">${small(name, colours)}</TD>`] : [],
  )

const hasAside = (box: Box): boolean => [...box.inputs, ...box.outputs].some((name) => isAside(box, name))

const portCells = (box: Box, direction: Side, colours: Colours): string[] =>
  portsOf(box, direction).flatMap((name, i) => (isAside(box, name) ? [] : [`<TD PORT="${direction}${i}">${small(name, colours)}</TD>`]))

const PORTS = '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="4">'

const portRow = (box: Box, direction: Side, colours: Colours): string => {
  if (!isNamed(box, direction)) return ''
  return `<TR><TD>${PORTS}<TR>${portCells(box, direction, colours).join('')}</TR></TABLE></TD></TR>`
}

const portColumn = (box: Box, direction: Side, colours: Colours): string => {
  if (!isNamed(box, direction)) return ''
  const rows = portCells(box, direction, colours).map((cell) => `<TR>${cell}</TR>`)
  return `<TD>${PORTS}${rows.join('')}</TABLE></TD>`
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

/** Wires of data out of one box from which one beside them may swing out of the picture. */
const MIN_FAN = 4

/**
 * Of a box with many wires, those to where the others lead as well: laid out as one they leave the picture and come back as a spike, in the
 * little height that is left. A point beside the other boxes takes them round.
 */
const bypassesOf = (wires: readonly Wire[]): ReadonlySet<Wire> => {
  const data = wires.filter(({ role }) => role === 'data')
  const found = data.filter((wire) => {
    const beside = data.filter((other) => other.from === wire.from && other.to !== wire.to)
    return (
      beside.length >= MIN_FAN && beside.some(({ to }) => to !== wire.from && data.some((next) => next.from === to && next.to === wire.to))
    )
  })
  return new Set(found)
}

const bypassId = (wire: Wire, wires: readonly Wire[]): string => quote(`bypass ${wires.indexOf(wire)}`)

const bypassNode = (wire: Wire, wires: readonly Wire[], palette: Palette): string =>
  `${bypassId(wire, wires)} [shape=point, width=0.02, label="", color="${colourOf(wire, palette)}", tooltip=${quote(wire.tip)}]`

const colourOf = ({ flow, role }: Wire, palette: Palette): string => (flow ? palette.flows[flow] : palette.wires[role])

interface Wiring {
  readonly wires: readonly Wire[]
  readonly bypasses: ReadonlySet<Wire>
}

const wireLine = (wire: Wire, { wires, bypasses }: Wiring, { palette, isRight }: Look): string => {
  const { from, output, to, input, label, tip, role, flow } = wire
  const colour = colourOf(wire, palette)
  // A wire that closes a loop is laid out from its head to its tail, so that it goes up beside the loop and not through it.
  const isBack = isControlInput(wire) && leadsTo(to, from, wires)
  const labelled = label === '' ? [] : [`label=${quote(` ${label} `)}`, `fontcolor="${colour}"`, `labeltooltip=${quote(tip)}`]
  const line = [`color="${colour}"`, ...(flow ? ['penwidth=2.4'] : [])]
  // Wires of data are the straightest.
  const way = [
    ...(role === 'data' ? ['weight=4'] : ['style=dashed']),
    ...(isBack ? ['dir=back'] : isControlInput(wire) ? ['constraint=false'] : []),
  ]
  const head = [...(to.kind === 'inlet' || to.kind === 'outlet' ? ['arrowhead=none'] : [])]
  const tips = [`edgetooltip=${quote(tip)}`]
  const [begin, end] = [quote(from.id) + attachmentOf(from, 'o', output, isRight), quote(to.id) + attachmentOf(to, 'i', input, isRight)]
  if (bypasses.has(wire)) {
    const by = bypassId(wire, wires)
    return `${begin} -> ${by} [${[...labelled, ...line, 'arrowhead=none', ...tips].join(', ')}]\n  ${by} -> ${end} [${[...line, ...head, ...tips].join(', ')}]`
  }
  return `${isBack ? `${end} -> ${begin}` : `${begin} -> ${end}`} [${[...labelled, ...line, ...way, ...head, ...tips].join(', ')}]`
}

/** Along data and replies. */
const leadsTo = (start: Box, end: Box, wires: readonly Wire[]): boolean => {
  const reached = new Set([start])
  for (const box of reached) for (const wire of wires) if (wire.from === box && !isControlInput(wire)) reached.add(wire.to)
  return reached.has(end)
}

const attachmentOf = (box: Box, direction: Side, port: number | undefined, isRight: boolean): string => {
  if (port === undefined) return ''
  // Graphviz takes the side that the other end is on.
  if (isAside(box, portsOf(box, direction)[port])) return `:${direction}${port}:_`
  const [into, out] = isRight ? ['w', 'e'] : ['n', 's']
  return isNamed(box, direction) ? `:${direction}${port}:${direction === 'i' ? into : out}` : ''
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
