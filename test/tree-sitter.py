# The verdict of a tree-sitter grammar on each text, a JSON string a line: tree-sitter.py LIBRARY [QUERY...] < texts. Writes true, or where it is
# wrong. Queries are read first: one with a node that there is not, or that finds nothing in a text, is reported.
import ctypes
import json
import sys
import warnings

from tree_sitter import Language, Parser, Query, QueryCursor

warnings.simplefilter("ignore")
library = ctypes.cdll.LoadLibrary(sys.argv[1])
library.tree_sitter_plumb.restype = ctypes.c_void_p
language = Language(library.tree_sitter_plumb())
parser = Parser(language)
queries = [Query(language, open(path).read()) for path in sys.argv[2:]]


def first_wrong(node):
    if node.type == "ERROR" or node.is_missing:
        return node
    for child in node.children:
        if child.has_error or child.is_missing:
            return first_wrong(child) or child
    return None


for line in sys.stdin:
    text = json.loads(line).encode("utf-8", "surrogatepass")
    root = parser.parse(text).root_node
    wrong = first_wrong(root) if root.has_error else None
    for query in queries:
        if not QueryCursor(query).captures(root):
            sys.exit("a query finds nothing")
    print("true" if not root.has_error else json.dumps(f"{(wrong or root).start_point.row + 1}: {(wrong or root).text.decode('utf-8', 'replace')[:60]}"))
