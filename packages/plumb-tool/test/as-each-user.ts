// Scripts over the executables as root and as another user: a sandbox of root has to hold what the kernel would allow root.

import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { bash, type Files, makeTestDirectory, TEST_PATH } from '../../wire/test/shell.js'

const isRoot = process.getuid?.() === 0

/** Runs it in a directory of its own, and where this is root once more as another user. */
export const asEach = async (
  run: string,
  files: Files,
  lay: (directory: string) => void = () => {},
): Promise<{ user: string; out: string; err: string }[]> => {
  const users = isRoot ? ['root', 'nobody'] : ['user']
  return Promise.all(
    users.map(async (user) => {
      const directory = makeTestDirectory(files)
      lay(directory)
      chmodSync(directory, 0o777)
      const become = user === 'nobody' ? 'setpriv --reuid 65534 --regid 65534 --clear-groups ' : ''
      const path = join(makeTestDirectory({ run: `#!/bin/bash --norc\n${run}` }), 'run')
      chmodSync(join(path, '..'), 0o755)
      const { out, err } = await bash(`${become}${path}`, {
        directory,
        env: { PATH: TEST_PATH, HOME: `${directory}/home`, LANG: 'C.UTF-8' },
      })
      return { user, out, err }
    }),
  )
}

/** Each word of the shell as its own argument. */
export const inside = (script: string): string => `plumb-tool -r s.plumb call sh ${quoted(JSON.stringify({ arguments: [script] }))} 2>&1`
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
