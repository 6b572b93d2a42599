"""check.py SITE HAS_API: whether each link of the site's pages leads to a file of the site, and each anchor to a place in it."""
import os
import re
import sys
from urllib.parse import unquote, urldefrag

LINK = re.compile(r'<(?:a|link|script|img)\b[^>]*?\b(?:href|src)="([^"]+)"')
PLACE = re.compile(r'\b(?:id|name)="([^"]+)"')


def main(site, has_api):
    pages = [os.path.join(folder, name) for folder, _, names in os.walk(site) for name in names if name.endswith(".html")]
    pages = [page for page in pages if not page.startswith(os.path.join(site, "api") + os.sep)]
    read = {}
    wrong = [f"{os.path.relpath(page, site)}: {link}" for page in pages for link in links(page) if not leads(page, link, site, has_api, read)]
    for line in wrong:
        print("a link leads nowhere:", line, file=sys.stderr)
    print(f"{len(pages)} pages, every link leads somewhere" if not wrong else f"{len(wrong)} wrong links")
    return 1 if wrong else 0


def links(page):
    with open(page, encoding="utf-8") as file:
        return {link for link in LINK.findall(file.read()) if not re.match(r"[a-z]+:|//", link)}


def leads(page, link, site, has_api, read):
    path, place = urldefrag(link)
    if os.path.basename(page) == "404.html" and path.startswith("/"):
        target = site + unquote(path)
    else:
        target = os.path.normpath(os.path.join(os.path.dirname(page), unquote(path))) if path else page
    if not has_api and target.startswith(os.path.join(site, "api")):
        return True
    if os.path.isdir(target):
        target = os.path.join(target, "index.html")
    if not os.path.isfile(target):
        return False
    if not place or not target.endswith(".html"):
        return True
    if target not in read:
        with open(target, encoding="utf-8") as file:
            read[target] = set(PLACE.findall(file.read()))
    return unquote(place) in read[target]


sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2] == "true"))
