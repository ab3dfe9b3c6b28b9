// What reading the rules of a script gathers beside them: what is wrong, which keys are linked to, which words bear a tag.
export interface ScriptReader {
  readonly report: (line: number, message: string) => void
  readonly links: { readonly line: number; readonly by: string; readonly key: string }[]
  readonly tags: Map<string, Set<string>>
}

/** The set may still be empty: rules come in any order, and it fills as they are read. */
export const wordsTagged = ({ tags }: ScriptReader, tag: string): Set<string> => {
  const known = tags.get(tag)
  if (known) return known
  const words = new Set<string>()
  tags.set(tag, words)
  return words
}
