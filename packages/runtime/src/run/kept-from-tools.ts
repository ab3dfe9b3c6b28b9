// The files that no tool of a run may change, except those that the spec names: what governs the run, and what it writes and believes later.

import { resolve } from 'node:path'
import { type SourceFiles, withAround } from '@plumb/wire'
import type { RunOptions } from '../options/run-options.js'

export const keptFromTools = (files: SourceFiles, { permissions, recording, display, kept }: RunOptions): SourceFiles => {
  const paths = absolute([permissions.policy])
  const outputs = absolute([recording.record, recording.resume, recording.rejects, display.trace, kept.cache])
  return paths.length + outputs.length === 0 ? files : withAround(files, { paths, outputs })
}

const absolute = (paths: readonly (string | undefined)[]): readonly string[] =>
  paths.flatMap((path) => (path === undefined ? [] : [resolve(path)]))
