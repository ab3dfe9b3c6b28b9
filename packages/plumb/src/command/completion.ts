// plumb completion: prints the completion script of a shell for all executables.

import { endWith, fault, writeStdout } from '@plumb/wire'
import { toBash } from '../completion/bash.js'
import { describeExecutables } from '../completion/describe.js'
import { toFish } from '../completion/fish.js'
import { toZsh } from '../completion/zsh.js'

const SHELLS = { bash: toBash, zsh: toZsh, fish: toFish } as const

/** Resolves to the exit status. */
export const completion = async (shell: string): Promise<number> => {
  if (!Object.hasOwn(SHELLS, shell)) return endWith('plumb', fault('usage', `there is completion for ${Object.keys(SHELLS).join(', ')}`))
  const described = await describeExecutables()
  if (!described.ok) return endWith('plumb', described.error)
  return endWith('plumb', await writeStdout(SHELLS[shell as keyof typeof SHELLS](described.value)))
}
