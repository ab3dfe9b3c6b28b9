// What an editor asks of a program. Places are UTF-16 offsets; the language server turns them into its lines and columns.

export { type Formatted, format } from '../format/format.js'
export type { Completion } from './completion.js'
export { type Completions, completionsAt } from './completions-at.js'
export { definitionAt } from './definition-at.js'
export { type Fix, fixesOf } from './fixes-of.js'
export { type Hover, hoverAt } from './hover-at.js'
export { type Edit, renameAt, renameableAt } from './rename-at.js'
export { type ListedTest, testsIn } from './tests-in.js'
