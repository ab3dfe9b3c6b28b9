// What models write around a patch, as in a chat or in a shell: a code fence, `apply_patch <<'EOF'` to `EOF`, or the one in the other.

import { fail, type Result, succeed } from '@plumb/wire'

interface Wrapping {
  readonly name: string
  readonly opens: RegExp
  /** The line that closes what this one has opened. */
  readonly closes: (opening: string) => string
}

const WRAPPINGS: readonly Wrapping[] = [
  { name: 'a code fence', opens: /^(`{3,})[\w+-]*$/, closes: (opening) => opening.replace(/[^`]+$/, '') },
  { name: 'a here-document', opens: /^apply_patch <<(EOF|'EOF'|"EOF")$/, closes: () => 'EOF' },
]

/** Its lines become empty ones, so that all others keep their numbers. */
export const unwrapPatch = (lines: readonly string[]): Result<readonly string[]> => {
  const inner = [...lines]
  for (const { name, opens, closes } of WRAPPINGS) {
    const first = inner.findIndex((line) => line.trim() !== '')
    const opening = inner[first]?.trimEnd() ?? ''
    if (!opens.test(opening)) continue
    const last = inner.findLastIndex((line) => line.trim() !== '')
    if (inner[last]?.trimEnd() !== closes(opening) || last === first) {
      const detail = `the patch is wrong at its end: ${name} is opened by '${opening}' and the last line is not '${closes(opening)}': it may have been cut`
      return fail('patch_invalid', detail, { line: last + 1 })
    }
    inner[first] = ''
    inner[last] = ''
  }
  return succeed(inner)
}
