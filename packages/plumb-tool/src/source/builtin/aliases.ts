// Names that built-in tools have in other systems, apart from the table, which brings the tools themselves.

export const ALIASES: Readonly<Record<string, string>> = {
  get_contents: 'read_file',
  read_dir: 'read_directory',
  index_ocaml_code: 'index_code',
  query_vector_db: 'code_search',
}

export const aliasesOf = (name: string): readonly string[] => Object.keys(ALIASES).filter((alias) => ALIASES[alias] === name)
