// plumb fmt: formats specs in place, or from stdin to stdout; or only checks the format.

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { format } from '@plumb/lang/format'
import { writeWhole } from '@plumb/runtime/record'
import { readNamed, reportDiagnostics } from '@plumb/runtime/spec'
import { escapeControls, type Fault, fail, fault, openInput, Reporter, readSpec, readSpecFrom, systemReason } from '@plumb/wire'

export interface FmtOptions {
  /** Changes nothing: prints the names of unformatted files, one a line, with exit status 1 if there are any. */
  readonly isCheck: boolean
}

/** Formats all files, even if one has errors. A formatted file, or one with syntax errors (exit status 2), is left unchanged. */
export const fmt = async (paths: readonly string[], { isCheck }: FmtOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const out: string[] = []
  if (paths.length === 0) reporter.report(fail('usage', "no spec was named; give files, or '-' for standard input").error)
  for (const path of paths) {
    const isStdin = path === '-'
    const name = isStdin ? '<stdin>' : path
    const text = isStdin ? await readSpecFrom(openInput(0), name) : readNamed(path, readSpec)
    if (!text.ok) {
      reporter.report(text.error)
      continue
    }
    const tidy = format({ path: name, text: text.value })
    if (!tidy.ok) {
      reportDiagnostics(reporter, tidy.diagnostics)
      reporter.status = 2
      continue
    }
    if (isStdin && !isCheck) out.push(tidy.text)
    if (tidy.text === text.value) continue
    if (isCheck) {
      out.push(`${escapeControls(path)}\n`)
      reporter.status = Math.max(reporter.status, 1) as 1 | 2
    } else if (!isStdin) {
      const failure = await replace(path, tidy.text)
      if (failure) reporter.report(failure)
    }
  }
  const failure = out.length > 0 ? await writeWhole(Buffer.from(out.join('')), undefined) : undefined
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

// A read-only file is not replaced, even if its directory would allow it.
const replace = async (path: string, text: string): Promise<Fault | undefined> => {
  let target: string
  try {
    target = realpathSync(path)
    if (!statSync(path).isFile()) return fault('usage', `'${path}' is not a regular file; to lay out what a pipe brings, give '-'`)
    accessSync(path, constants.W_OK)
  } catch (error) {
    return fault('write_failed', `cannot write '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  return writeWhole(Buffer.from(text), target)
}
