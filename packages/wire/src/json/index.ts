// JSON as bytes: skipping, splitting and parsing. The one JSON module of all packages.

export { canonicalJson, canonicalTree, withoutLastZeros } from './canonical.js'
export { countItems, eachItem, eachMember, hasDistinctKeys, memberText } from './members.js'
export { checkJson, isJson, parseJson } from './parse.js'
export { parseTree } from './parse-tree.js'
export {
  asciiText,
  isTooDeep,
  MAX_JSON_DEPTH,
  skipNumber,
  skipNumberRest,
  skipSpace,
  skipStringRest,
  skipValue,
  UNCHECKED_DEPTH,
} from './skip.js'
export { type ArrayTree, type Json, type ObjectTree, stringOf, type Tree, valueOf } from './tree.js'
