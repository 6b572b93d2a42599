"""What the site takes from outside of docs: README.md is its front page; CONTRIBUTING.md and CHANGELOG.md are pages; sources that
pages link to are shown as they are. All links stay those of the repository, where the same pages are read."""
import os
import posixpath
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FROM_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}
LINK = re.compile(r"(\]\()([^)\s:#]+)(#[^)\s]*)?(\))")
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.S | re.M)


def on_config(config: MkDocsConfig):
    docs = config["docs_dir"]
    decisions = sorted(name for name in os.listdir(f"{docs}/decisions") if name.endswith(".md"))
    for group in config["nav"]:
        for entries in group.values() if isinstance(group, dict) else ():
            for entry in entries if isinstance(entries, list) else ():
                if entry.get("Decisions"):
                    entry["Decisions"] = [f"decisions/{name}" for name in decisions]
                if entry.get("API"):
                    entry["API"] = "api/index.html"
    return config


def on_files(files: Files, config: MkDocsConfig):
    for source, page in FROM_ROOT.items():
        with open(f"{ROOT}/{source}", encoding="utf-8") as file:
            files.append(File.generated(config, page, content=file.read()))
    for linked in sorted(linked_sources(files)):
        if os.path.isdir(f"{ROOT}/{linked}"):
            names = sorted(os.listdir(f"{ROOT}/{linked}"))
            files.append(File.generated(config, f"sources/{linked}.txt", content="\n".join(names) + "\n"))
        else:
            files.append(File.generated(config, f"sources/{linked}.txt", abs_src_path=f"{ROOT}/{linked}"))
    files.append(File.generated(config, "extra.css", abs_src_path=f"{ROOT}/site/extra.css"))
    return files


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files):
    here = page.file.src_uri
    return outside_code(markdown, lambda text: LINK.sub(lambda link: link[1] + target(here, link[2]) + (link[3] or "") + link[4], text))


def outside_code(markdown, change):
    return "".join(part if part.startswith("`") else change(part) for part in CODE.split(markdown))


def in_repository(here, link):
    """The path of a link's target in the repository."""
    folder = "" if here in FROM_ROOT.values() else posixpath.join("docs", posixpath.dirname(here))
    return posixpath.normpath(posixpath.join(folder, link))


def target(here, link):
    path = in_repository(here, link)
    if path in FROM_ROOT:
        page = FROM_ROOT[path]
    elif path == "docs/decisions":
        page = "decisions/" + min(name for name in os.listdir(f"{ROOT}/{path}") if name.endswith(".md"))
    elif path.startswith("docs/"):
        page = path.removeprefix("docs/")
    else:
        page = f"sources/{path}.txt"
    return posixpath.relpath(page, posixpath.dirname(here) or ".")


def linked_sources(files: Files):
    for file in list(files.documentation_pages()):
        for part in CODE.split(file.content_string):
            for link in () if part.startswith("`") else LINK.finditer(part):
                path = in_repository(file.src_uri, link[2])
                if not path.startswith("docs/") and path not in FROM_ROOT and os.path.exists(f"{ROOT}/{path}"):
                    yield path
