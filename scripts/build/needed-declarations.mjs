// Leaves out of declarations what those of the entry do not refer to: what only the inside of a library needs, Node's types among it.

import { writeFileSync } from 'node:fs'
import ts from 'typescript'

/** `files` are all declarations of a library, by absolute path; `entry` is one of them. Returns those of which nothing is left. */
export const keepNeeded = (entry, files) => {
  const { NodeNext } = ts.ModuleKind
  const options = { module: NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [], noLib: true }
  const program = ts.createProgram([entry], options)
  const checker = program.getTypeChecker()
  const own = new Set(files)
  /** Statements, and the specifiers of imports and exports, that are needed. */
  const needed = new Set()
  const waiting = []

  const need = (symbol) => {
    for (const declaration of symbol?.declarations ?? []) {
      const file = declaration.getSourceFile()
      if (!own.has(file.fileName) || needed.has(declaration)) continue
      needed.add(declaration)
      if (isAlias(declaration)) need(checker.getImmediateAliasedSymbol(symbol))
      else {
        const statement = statementOf(declaration)
        if (statement === declaration || !needed.has(statement)) waiting.push(statement)
        needed.add(statement)
      }
    }
  }
  const visit = (node) => {
    if (ts.isIdentifier(node)) need(checker.getSymbolAtLocation(node))
    ts.forEachChild(node, visit)
  }
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))) need(symbol)
  for (let statement = waiting.pop(); statement; statement = waiting.pop()) visit(statement)

  return files.filter((path) => {
    const file = program.getSourceFile(path)
    const text = file?.statements.map((statement) => textOf(statement, needed)).join('') ?? ''
    writeFileSync(path, text)
    return text === ''
  })
}

const isAlias = (node) => ts.isImportSpecifier(node) || ts.isExportSpecifier(node) || ts.isImportClause(node) || ts.isNamespaceImport(node)

const statementOf = (node) => {
  let at = node
  while (at.parent && !ts.isSourceFile(at.parent)) at = at.parent
  return at
}

const textOf = (statement, needed) => {
  const file = statement.getSourceFile()
  const list = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined
  if (!list) {
    const isNeeded = needed.has(statement) || (ts.isImportDeclaration(statement) && needed.has(statement.importClause))
    return isNeeded || ts.isExportAssignment(statement) ? `${commentOf(statement, file)}${statement.getText(file)}\n` : ''
  }
  if (!ts.isNamedImports(list) && !ts.isNamedExports(list)) return needed.has(list) ? `${statement.getText(file)}\n` : ''
  const kept = list.elements.filter((element) => needed.has(element))
  if (kept.length === 0) return ''
  const word = ts.isImportDeclaration(statement) ? 'import' : 'export'
  const isType = ts.isImportDeclaration(statement) ? statement.importClause.isTypeOnly : statement.isTypeOnly
  const from = statement.moduleSpecifier ? ` from ${statement.moduleSpecifier.getText(file)}` : ''
  return `${word}${isType ? ' type' : ''} { ${kept.map((element) => element.getText(file)).join(', ')} }${from};\n`
}

/** The comment of documentation before it. */
const commentOf = (statement, file) =>
  (ts.getLeadingCommentRanges(file.text, statement.getFullStart()) ?? [])
    .map(({ pos, end }) => file.text.slice(pos, end))
    .filter((text) => text.startsWith('/**'))
    .map((text) => `${text}\n`)
    .join('')
