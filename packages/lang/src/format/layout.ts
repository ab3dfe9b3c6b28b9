// Doc → text: a group is on one line if what is left of the line has room for it up to the next line end.

import { codePoints } from '../diagnostic/source.js'
import { type Doc, isList } from './doc.js'

const WIDTH = 100
const STEP = 2

interface Task {
  readonly doc: Doc
  readonly indent: number
  readonly isFlat: boolean
}

/** No line ends in white space that is not the author's, and the last has no line end. */
export const layout = (doc: Doc): string => {
  const tasks: Task[] = [{ doc, indent: 0, isFlat: false }]
  const out: string[] = []
  let column = 0
  let isLineStart = true
  const write = (text: string, indent: number) => {
    if (text === '') return
    if (isLineStart) {
      out.push(' '.repeat(indent))
      column = indent
      isLineStart = false
    }
    out.push(text)
    column += codePoints(text)
  }
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { doc, indent } = task
    if (typeof doc === 'string') write(doc, indent)
    else if (isList(doc)) for (let i = doc.length - 1; i >= 0; i--) tasks.push({ ...task, doc: doc[i] as Doc })
    else if (doc.kind === 'indent') tasks.push({ ...task, doc: doc.doc, indent: indent + STEP })
    else if (doc.kind === 'suffix') tasks.push({ ...task, doc: doc.doc })
    else if (doc.kind === 'choice') tasks.push({ ...task, doc: task.isFlat ? doc.flat : doc.broken })
    else if (doc.kind === 'group') {
      const flat = { doc: doc.doc, indent, isFlat: true }
      const room = WIDTH - (isLineStart ? indent : column)
      tasks.push(!doc.mustBreak && (task.isFlat || fits(flat, tasks, room)) ? flat : { ...flat, isFlat: false })
    } else if (doc.kind === 'line') {
      if (task.isFlat && !doc.isHard) write(doc.flat, indent)
      else {
        out.push(doc.isBlank ? '\n\n' : '\n')
        isLineStart = true
      }
    } else {
      write(doc.first, indent)
      const below = doc.isShifted ? ' '.repeat(column - codePoints(doc.first)) : ''
      for (const text of doc.rest) {
        const shown = text === '' ? '' : below + text
        out.push('\n', shown)
        column = codePoints(shown)
      }
    }
  }
  return out.join('')
}

const fits = (first: Task, after: readonly Task[], width: number): boolean => {
  const tasks: Task[] = [first]
  let next = after.length
  let room = width
  while (room >= 0) {
    const task = tasks.pop() ?? after[--next]
    if (!task) return true
    const { doc } = task
    if (typeof doc === 'string') room -= codePoints(doc)
    else if (isList(doc)) for (let i = doc.length - 1; i >= 0; i--) tasks.push({ ...task, doc: doc[i] as Doc })
    else if (doc.kind === 'indent') tasks.push({ ...task, doc: doc.doc })
    else if (doc.kind === 'group') tasks.push({ ...task, doc: doc.doc, isFlat: task.isFlat && !doc.mustBreak })
    else if (doc.kind === 'choice') tasks.push({ ...task, doc: task.isFlat ? doc.flat : doc.broken })
    else if (doc.kind === 'line') {
      if (doc.isHard || !task.isFlat) return true
      room -= doc.flat.length
    } else if (doc.kind === 'comment') {
      room -= codePoints(doc.first)
      if (doc.rest.length > 0) return room >= 0
    }
  }
  return false
}
