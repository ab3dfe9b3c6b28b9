// What comments and documents cite: manual pages, `plumb-tools(7)`, with a section where one is named, `plumb-tools(7), Sandbox`.

/** For each page of the repository, as `plumb-tools(7)`, its headings. */
export type Headings = ReadonlyMap<string, readonly string[]>

const CITATION = /\b(plumb(?:-[a-z]+)?|plumbing)\((\d)\)(?:, (?=[A-Z]))?/g

// Files that this repository does not have.
const ELSEWHERE = /\b(?:wire|tools|agent|language|cli|eliza|faults|flow|runs|design|style)\.md\b/g

/** The headings of sections and subsections of a page in mdoc. */
export const readHeadings = (page: string): string[] =>
  [...page.matchAll(/^\.S[hs] (.*)$/gm)].map(([, heading = '']) => heading.replace(/\\&/g, '').trim())

/** The citations in `text` that name a page or a section that does not exist, or a document that is not here. */
export const findBrokenCitations = (text: string, headings: Headings): string[] => {
  const broken = [...text.matchAll(ELSEWHERE)].map(([name]) => name)
  for (const match of text.matchAll(CITATION)) {
    const [citation, name, number] = match
    const sections = headings.get(`${name}(${number})`)
    const after = text.slice(match.index + citation.length, match.index + citation.length + 60)
    const isSection = citation.endsWith(' ')
    if (sections === undefined || (isSection && !sections.some((section) => after.startsWith(section)))) {
      broken.push(`${citation}${isSection ? after.split(/[.,;:)\n]/, 1)[0] : ''}`)
    }
  }
  return broken
}

/** The comments of a program, which are where it cites. */
export const readComments = (program: string): string =>
  program
    .split('\n')
    .flatMap((line) => /(?:^|\s)(?:\/\/|\/?\*\*?|#)(.*)$/.exec(line)?.[1] ?? [])
    .join('\n')
