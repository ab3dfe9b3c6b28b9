// The functions of a source file that are too long, and the classes whose state is too large, by the syntax tree.

import ts from 'typescript'

/** `name (lines)` of each function of more than `max` lines, those inside of it included. */
export const findLongFunctions = (text: string, max: number): string[] => {
  const found: string[] = []
  visit(text, (node, source) => {
    if (!isFunction(node)) return
    const lines = lineOf(source, node.end) - lineOf(source, node.getStart(source)) + 1
    if (lines > max) found.push(`${nameOf(node, source)} (${lines})`)
  })
  return found
}

/** `name (fields)` of each class with more than `max` fields that are assigned after it was made. */
export const findLargeStates = (text: string, max: number): string[] => {
  const found: string[] = []
  visit(text, (node, source) => {
    if (!ts.isClassDeclaration(node)) return
    const fields = node.members.filter((member) => ts.isPropertyDeclaration(member) && !isFixed(member))
    if (fields.length > max) found.push(`${node.name?.getText(source)} (${fields.length})`)
  })
  return found
}

type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Node }

const visit = (text: string, take: (node: ts.Node, source: ts.SourceFile) => void): void => {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const each = (node: ts.Node): void => {
    take(node, source)
    ts.forEachChild(node, each)
  }
  each(source)
}

const isFunction = (node: ts.Node): node is WithBody => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined

const lineOf = (source: ts.SourceFile, offset: number): number => source.getLineAndCharacterOfPosition(offset).line

const isFixed = (member: ts.PropertyDeclaration): boolean =>
  member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword || kind === ts.SyntaxKind.StaticKeyword) === true

const nameOf = (node: WithBody, source: ts.SourceFile): string => {
  const { parent } = node
  const named = node.name ?? (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name : undefined)
  return named?.getText(source) ?? 'a function without a name'
}
