// The import graph of the packages, of values and of types, and the cycles in it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

export type Graph = ReadonlyMap<string, readonly string[]>

export const importsOf = (file: string): string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName)

/** For each source file of a package, the source files that it imports. Paths are relative to the root. */
export const readGraph = (packages: readonly string[]): Graph => {
  const exportsOf = new Map(packages.map((name) => [nameOf(name), readExports(name)]))
  const files = packages.flatMap((name) => sourcesUnder(join('packages', name, 'src')))
  const known = new Set(files)
  const targetOf = (file: string, specifier: string): string | undefined => {
    if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts')
    const [name = '', part = ''] = specifier.startsWith('@') ? splitAt(specifier, 2) : splitAt(specifier, 1)
    return exportsOf.get(name)?.(part)
  }
  const isKnown = (target: string | undefined): target is string => target !== undefined && known.has(target)
  return new Map(
    files.map((file) => [
      file,
      importsOf(file)
        .map((specifier) => targetOf(file, specifier))
        .filter(isKnown),
    ]),
  )
}

/** The strongly connected components of more than one file, each sorted (Tarjan's algorithm). */
export const findCycles = (graph: Graph): string[][] => {
  const index = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const own = index.size
    index.set(node, own)
    stack.push(node)
    let low = own
    for (const next of graph.get(node) ?? []) {
      const reached = index.has(next) ? (stack.includes(next) ? (index.get(next) as number) : own) : visit(next)
      low = Math.min(low, reached)
    }
    if (low === own) {
      const component = stack.splice(stack.indexOf(node)).sort()
      if (component.length > 1) cycles.push(component)
    }
    return low
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return cycles.sort()
}

/** The same between the directories of one package directly below its src; a file in none of them counts as one. */
export const directoriesOf = (graph: Graph, name: string): Graph => {
  const src = `${join('packages', name, 'src')}/`
  const directoryOf = (file: string): string => file.slice(src.length).split('/')[0] ?? ''
  const directories = new Map<string, string[]>()
  for (const [file, imports] of graph) {
    if (!file.startsWith(src)) continue
    const directory = directoryOf(file)
    const others = imports.filter((other) => other.startsWith(src)).map(directoryOf)
    directories.set(directory, [...(directories.get(directory) ?? []), ...others.filter((other) => other !== directory)])
  }
  return directories
}

const sourcesUnder = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
        const path = join(directory, entry.name)
        return entry.isDirectory() ? sourcesUnder(path) : path.endsWith('.ts') ? [path] : []
      })
    : []

const readManifest = (name: string): { readonly name: string; readonly exports?: Readonly<Record<string, string>> } =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'))

const nameOf = (name: string): string => readManifest(name).name

/** From a part such as `/error` to its file; patterns of one `*` too. */
const readExports = (name: string): ((part: string) => string | undefined) => {
  const entries = Object.entries(readManifest(name).exports ?? {})
  return (part) => {
    for (const [pattern, file] of entries) {
      const [before = '', after] = pattern.slice(1).split('*')
      if (after === undefined ? part !== before : !part.startsWith(before) || !part.endsWith(after)) continue
      return normalize(join('packages', name, file.replace('*', part.slice(before.length, part.length - (after?.length ?? 0)))))
    }
    return undefined
  }
}

const splitAt = (specifier: string, words: number): [string, string] => {
  const name = specifier.split('/', words).join('/')
  return [name, specifier.slice(name.length)]
}
