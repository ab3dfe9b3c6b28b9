// Loads the named file and all modules it uses: each is read and parsed once, and cycles are refused.

import { preview } from '@plumb/wire/preview'
import type { Result } from '@plumb/wire/result'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Use } from '../parse/ast.js'
import { type Parsed, parse } from '../parse/parser.js'

/** Supplies texts; the executables pass an implementation that reads files, tests one with a table. */
export interface Files {
  read(path: string): Result<string>
  /** The path of a module: by name in the standard library, then beside `from`, then along PLUMB_PATH; by path relative to `from`. */
  find(name: string, from: string): string | undefined
  beside(path: string, from: string): string
}

export interface Module {
  readonly path: string
  readonly program: Parsed
  readonly uses: ReadonlyMap<string, Module>
  /** Names of modules that did not load: errors about their members are suppressed. */
  readonly missing: ReadonlySet<string>
}

/** Limits above any hand-written program: of files, and of characters in all of them. */
const MAX_MODULES = 10_000
const MAX_CHARACTERS = 16 * 1024 * 1024

/** A module whose uses are being loaded. */
interface Open {
  readonly path: string
  readonly program: Parsed
  readonly uses: Map<string, Module>
  readonly missing: Set<string>
  readonly places: Map<string, Span>
  /** Its next item. */
  at: number
}

/** The file that was named; `program` where it has been parsed. */
export interface MainFile {
  readonly path: string
  readonly text: string
  readonly program?: Parsed | undefined
}

/** All modules, each after those it uses; the entry is the last. In a loop: they may use each other thousands deep. */
export const loadModules = (entry: MainFile, files: Files, report: Report): readonly Module[] => {
  const done = new Map<string, Module>()
  const open = new Map<string, Open>()
  const order: Module[] = []
  let characters = 0

  const enter = ({ path, text, program = parse({ path, text }, report) }: MainFile): Open => {
    characters += text.length
    const module: Open = { path, program, uses: new Map(), missing: new Set(), places: new Map(), at: 0 }
    open.set(path, module)
    return module
  }

  /** Undefined: unusable, already reported. */
  const follow = (use: Use, from: string): Module | Open | undefined => {
    const { text, span } = use.target
    const path = use.by === 'path' ? files.beside(text, from) : files.find(text, from)
    if (path === undefined) {
      const help = `it is looked for in the standard library, as '${preview(text)}.plumb' beside this file, and along PLUMB_PATH`
      report(error('unknown_module', `cannot find module '${preview(text)}'`, span, help))
      return undefined
    }
    const known = done.get(path)
    if (known) return known
    if (open.has(path)) {
      const paths = [...open.keys()]
      const cycle = [...paths.slice(paths.indexOf(path)), path].map(baseName)
      const shown = cycle.length > MAX_SHOWN ? [...cycle.slice(0, MAX_SHOWN / 2), '…', ...cycle.slice(-MAX_SHOWN / 2)] : cycle
      report(error('module_cycle', `modules use each other in a circle: ${shown.join(' -> ')}`, span))
      return undefined
    }
    if (done.size + open.size >= MAX_MODULES) {
      report(error('too_large', `a program has at most ${MAX_MODULES.toLocaleString('en')} modules`, span))
      return undefined
    }
    const read = files.read(path)
    if (!read.ok) {
      const found = use.by === 'path' && /^[a-z_][a-z0-9_]*$/.test(text) ? files.find(text, from) : undefined
      const help = found === undefined ? undefined : `in quotes it is a file beside this one: write 'use ${text}'`
      report(error('unknown_module', `cannot read module '${preview(text)}': ${read.error.detail}`, span, help))
      return undefined
    }
    if (characters + read.value.length > MAX_CHARACTERS) {
      report(error('too_large', `a program has at most ${MAX_CHARACTERS.toLocaleString('en')} characters in all its modules`, span))
      return undefined
    }
    return enter({ path, text: read.value })
  }

  const path: Open[] = [enter(entry)]
  for (let last = path.at(-1); last; last = path.at(-1)) {
    const { program, uses, missing, places } = last
    const item = program.items[last.at]
    if (!item) {
      path.pop()
      open.delete(last.path)
      const module = { path: last.path, program, uses, missing }
      done.set(last.path, module)
      order.push(module)
      continue
    }
    const found = item.kind === 'use' && !isDuplicate(item, places, report) ? follow(item, last.path) : undefined
    if (found && isOpen(found)) {
      // Then this item is processed again, and the module is known.
      places.delete(aliasOf(item as Use))
      path.push(found)
      continue
    }
    last.at++
    if (item.kind !== 'use') continue
    const name = aliasOf(item)
    if (found) uses.set(name, found)
    else if (!uses.has(name)) missing.add(name)
  }
  return order
}

const MAX_SHOWN = 20

const isOpen = (module: Module | Open): module is Open => 'at' in module

const isDuplicate = (use: Use, places: Map<string, Span>, report: Report): boolean => {
  const name = aliasOf(use)
  const place = (use.as ?? use.target).span
  const first = places.get(name)
  if (first) reportDuplicate('module', name, first, place, report)
  else places.set(name, place)
  return first !== undefined
}

/** `use fs` names the module `Fs`; `use "./x.plumb"` without `as` takes the file's name. */
export const aliasOf = ({ as, target, by }: Use): string => {
  if (as) return as.text
  const name = by === 'path' ? baseName(target.text).replace(/[^A-Za-z0-9_]/g, '_') : target.text
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const baseName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.plumb$/, '')
