// From the file that was named to all files it uses: each read and parsed once, cycles refused.

import { preview } from '@plumb/wire/preview'
import type { Result } from '@plumb/wire/result'
import type { Use } from './ast.js'
import { error, type Report } from './diagnostic.js'
import { reportDuplicate } from './names.js'
import { type Parsed, parse } from './parser.js'
import type { Source, Span } from './source.js'

/** How lang reaches texts; the executables pass one that reads files, tests one that has a table. */
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
  /** Names of modules that did not load: their members are not complained of again. */
  readonly missing: ReadonlySet<string>
}

/** All modules, each after those it uses; the entry is the last. */
export const loadModules = (entry: { path: string; text: string }, files: Files, report: Report): readonly Module[] => {
  const done = new Map<string, Module>()
  const open: string[] = []
  const order: Module[] = []

  const load = (path: string, source: Source): Module => {
    open.push(path)
    const program = parse(source, report)
    const uses = new Map<string, Module>()
    const missing = new Set<string>()
    const places = new Map<string, Span>()
    for (const item of program.items) {
      if (item.kind !== 'use') continue
      const name = aliasOf(item)
      const place = (item.as ?? item.target).span
      const first = places.get(name)
      if (first) {
        reportDuplicate('module', name, first, place, report)
        continue
      }
      places.set(name, place)
      const module = follow(item, path)
      if (module) uses.set(name, module)
      else missing.add(name)
    }
    open.pop()
    const module = { path, program, uses, missing }
    done.set(path, module)
    order.push(module)
    return module
  }

  const follow = (use: Use, from: string): Module | undefined => {
    const { text, span } = use.target
    const path = use.by === 'path' ? files.beside(text, from) : files.find(text, from)
    if (path === undefined) {
      const help = `it is looked for in the standard library, as '${preview(text)}.plumb' beside this file, and along PLUMB_PATH`
      report(error('unknown_module', `cannot find module '${preview(text)}'`, span, help))
      return undefined
    }
    const known = done.get(path)
    if (known) return known
    const from0 = open.indexOf(path)
    if (from0 >= 0) {
      const cycle = [...open.slice(from0), path].map(baseName).join(' -> ')
      report(error('module_cycle', `modules use each other in a circle: ${cycle}`, span))
      return undefined
    }
    const read = files.read(path)
    if (!read.ok) {
      report(error('unknown_module', `cannot read module '${preview(text)}': ${read.error.detail}`, span))
      return undefined
    }
    return load(path, { path, text: read.value })
  }

  load(entry.path, { path: entry.path, text: entry.text })
  return order
}

/** `use fs` names the module `Fs`; `use "./x.plumb"` without `as` takes the file's name. */
export const aliasOf = ({ as, target, by }: Use): string => {
  if (as) return as.text
  const name = by === 'path' ? baseName(target.text).replace(/[^A-Za-z0-9_]/g, '_') : target.text
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const baseName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.plumb$/, '')
