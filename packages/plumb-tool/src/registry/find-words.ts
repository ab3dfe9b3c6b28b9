// Normalises words for searching: many forms to one stem, and synonyms.

/** English endings that carry no meaning: files, file; editing, edited, edit; queries, query. */
export const stemOf = (word: string): string => {
  for (const [ending, instead, least] of ENDINGS) {
    if (!word.endsWith(ending) || word.length - ending.length < least) continue
    const stem = word.slice(0, -ending.length) + instead
    // running, stopped
    return /(.)\1$/.test(stem) && !/[aeilos]$/.test(stem) ? stem.slice(0, -1) : stem.replace(/e$/, '')
  }
  return word.length > 3 ? word.replace(/e$/, '') : word
}

const ENDINGS: readonly (readonly [ending: string, instead: string, leastBefore: number])[] = [
  ['ies', 'y', 2],
  ['ied', 'y', 2],
  ['sses', 'ss', 1],
  ['xes', 'x', 1],
  ['ches', 'ch', 1],
  ['shes', 'sh', 1],
  ['ing', '', 3],
  ['ed', '', 3],
  ['ss', 'ss', 1],
  ['us', 'us', 1],
  ['is', 'is', 1],
  ['s', '', 2],
]

const GROUPS = [
  'edit change modify update patch replace alter mend',
  'delete remove erase rm unlink',
  'read open view show cat load contents',
  'write save store',
  'create make new add mkdir touch',
  'download fetch get retrieve request curl wget',
  'web internet net network online http url site website browse',
  'page website document',
  'folder directory dir',
  'list ls names',
  'find search look grep query locate',
  'picture image photo screenshot',
  'file text',
  'prompt instruction',
  'improve refine better optimise optimize',
  'run execute exec command shell start',
  'code source program',
  'documentation docs document markdown manual',
  'append add',
  'pattern regex regexp expression wildcard',
].map((group) => new Set(group.split(' ').map(stemOf)))

/** The stems of its synonyms, without its own. */
export const likeWords = (stem: string): ReadonlySet<string> => {
  const like = new Set(GROUPS.filter((group) => group.has(stem)).flatMap((group) => [...group]))
  like.delete(stem)
  return like
}

const COMMON = new Set('a an the to of in on for from with and or my some any all how do i can is it into at by'.split(' '))

/** All words if none would be left. */
export const withoutCommon = (words: readonly string[]): readonly string[] => {
  const specific = words.filter((word) => !COMMON.has(word))
  return specific.length > 0 ? specific : words
}
