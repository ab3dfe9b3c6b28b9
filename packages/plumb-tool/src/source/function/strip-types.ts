// Strips the types of a TypeScript file and the files that it imports; nothing is type-checked.

import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fail, preview, type Result, readSpec, succeed } from '@plumb/wire'

/** JavaScript text by file URL. */
export type Modules = { readonly [url: string]: string }

const MAX_FILES = 1000

export const isTypeScript = (file: string): boolean => /\.[cm]?ts$/.test(file)

export const stripTypes = async (file: string): Promise<Result<Modules>> => {
  const { transform } = await import('sucrase')
  const modules: Record<string, string> = {}
  const waiting = [pathToFileURL(file).href]
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (Object.hasOwn(modules, url)) continue
    if (Object.keys(modules).length === MAX_FILES)
      return fail('config_invalid', `'${preview(file, 200)}' imports more than ${MAX_FILES} files`)
    const path = fileURLToPath(url)
    const source = readSpec(path)
    if (!source.ok) return source
    try {
      const { code } = transform(source.value, { transforms: ['typescript'], filePath: path, disableESTransforms: true })
      modules[url] = code
      waiting.push(...importsOf(code, url))
    } catch (error) {
      return fail(
        'config_invalid',
        `'${preview(path, 200)}' is not TypeScript: ${preview(error instanceof Error ? error.message : String(error), 200)}`,
      )
    }
  }
  return succeed(modules)
}

const IMPORT = /\b(?:from|import|require)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g

/** URLs of imported TypeScript files. The match is textual; extra files do no harm. */
const importsOf = (code: string, from: string): string[] =>
  [...code.matchAll(IMPORT)].flatMap(([, , specifier = '']) => {
    const url = new URL(specifier, from).href
    const names = [url, url.replace(/\.([cm]?)js$/, '.$1ts'), `${url}.ts`, `${url}/index.ts`]
    const found = names.find((name) => existsSync(fileURLToPath(name)))
    return found !== undefined && isTypeScript(found) ? [found] : []
  })
