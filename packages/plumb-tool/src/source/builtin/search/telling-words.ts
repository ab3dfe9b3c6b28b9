// The words of a question or a title that say what it is about.

const COMMON = new Set(
  (
    'a an the this that these those there here it its i you he she we they me my your our their them us one ' +
    'is are was were be been being am do does did done has have had having can could may might must shall should will would ' +
    'and or but not no nor so if than then as of at by for from in into on onto over to up with without about between ' +
    'what which who whom whose when where why how please want need use used using get gets getting make happen happens work works'
  ).split(' '),
)

/** All of them where none would be left. */
export const significantTerms = (terms: readonly string[]): readonly string[] => {
  const telling = terms.filter((term) => !COMMON.has(term))
  return telling.length > 0 ? telling : terms
}
