// What the built-in tools may do, by all their names: data alone, for code that decides on calls and does not run them.

import type { Effect } from './authority.js'

const EFFECTS_OF: Readonly<Record<string, readonly Effect[]>> = {
  read_file: ['fs.read'],
  get_contents: ['fs.read'],
  read_directory: ['fs.read'],
  read_dir: ['fs.read'],
  grep: ['fs.read'],
  glob: ['fs.read'],
  import_image: ['fs.read'],
  markdown_search: ['fs.read'],
  code_search: ['fs.read'],
  query_vector_db: ['fs.read'],
  // An index is written beside what it is of.
  index_markdown_docs: ['fs.read', 'fs.write'],
  index_code: ['fs.read', 'fs.write'],
  index_ocaml_code: ['fs.read', 'fs.write'],
  // What they read of a file they read to write it.
  apply_patch: ['fs.write'],
  write_file: ['fs.write'],
  append_to_file: ['fs.write'],
  find_and_replace: ['fs.write'],
  make_directory: ['fs.write'],
  delete_file: ['fs.write'],
  webpage_to_markdown: ['net'],
  http_get: ['net'],
  meta_refine: ['model'],
}

/** None for a name that is no built-in, which is an error elsewhere. */
export const builtinEffects = (name: string): readonly Effect[] => (Object.hasOwn(EFFECTS_OF, name) ? (EFFECTS_OF[name] ?? []) : [])
