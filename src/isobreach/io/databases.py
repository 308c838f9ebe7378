# SPDX-License-Identifier: BSD-3-Clause
"""Tables in databases, by URL: SQLite, DuckDB and PostgreSQL, read through their Arrow drivers; and vector stores.

``sqlite:///people.db#people`` is a table of a file, ``postgresql://reader@host/hospital#people`` one of a server; after
the # stands the name of a table or a whole query. Connections only read. A password never leaves the URL: messages
name the database without it, and an engine's own words are repeated only where they speak of the query, because others
may quote what stands in a table.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

import numpy as np

from isobreach._naming import way
from isobreach._phrases import first_few, names_like
from isobreach.errors import InputError, MissingExtraError
from isobreach.io.cells import settled
from isobreach.io.stores import Chroma, LanceDB, Qdrant

_EXAMPLES = "sqlite:///people.db, duckdb:///people.db, postgresql://user@host/database or lancedb:///store"
_REMOTE = ("postgresql", "qdrant", "qdrants")  # engines that may be servers
_LISTED = 20  # tables that a message names


class Address(NamedTuple):
    """A database, and what is read of it: a table's name, a query, or nothing, which means its only table."""

    engine: str
    url: SplitResult
    asked: str

    @property
    def remote(self) -> bool:
        """Whether it is a server."""
        return self.engine == "postgresql" or bool(self.url.netloc)

    @property
    def file(self) -> Path:
        """The file or folder of a database that has no server."""
        return Path(unquote(self.url.path.removeprefix("/")))

    @property
    def name(self) -> str:
        """What records and messages call it: no password, no folder."""
        if not self.remote:
            return f"{self.engine}:///{self.file.name}"
        user, _, host = self.url.netloc.rpartition("@")
        user = user.partition(":")[0]
        return urlunsplit((self.engine, f"{user}@{host}" if user else host, self.url.path, "", ""))

    @property
    def title(self) -> str:
        """What a page calls it: the table, or the database where a query or its only table is read."""
        if self.asked and self.query is None:
            return self.asked
        return self.file.stem or self.engine

    @property
    def query(self) -> str | None:
        """What is asked, if it is a query and no name."""
        return self.asked if len(self.asked.split()) > 1 else None


def is_url(given: str) -> bool:
    """Return whether a text is a URL and no path.

    >>> is_url("sqlite:///people.db"), is_url("people.csv"), is_url("C:/people.csv")
    (True, False, False)
    """
    return "://" in given


def address(given: str, name: str) -> Address:
    """Return the parts of a database's URL; any other URL is refused, without what may be its password."""
    engine = given.partition("://")[0].lower()
    try:
        url = urlsplit(given)
        url.port  # noqa: B018  checks it
    except ValueError:
        raise InputError(name, f"must be a URL such as {_EXAMPLES}", "one that cannot be parsed") from None
    if engine not in _ENGINES:
        raise InputError(name, f"must be a file, or a database such as {_EXAMPLES}", f"a URL of {engine!r}")
    engine = "postgresql" if engine == "postgres" else engine
    remote = engine == "postgresql" or (engine in _REMOTE and url.netloc)
    if not remote and (url.netloc or not url.path.strip("/")):
        step = f"A file in this folder has three slashes, {engine}:///people.db, an absolute path has four."
        raise InputError(name, f"must be a URL such as {engine}:///people.db", f"another {engine} URL", step)
    return Address(engine, url._replace(fragment=""), unquote(url.fragment).strip())


def fetch(place: Address, name: str, id_column: str | None, *, raw: bool = False) -> Any:
    """Return what is asked of a database as an Arrow table; text that holds numbers is read as in CSV files.

    ``raw``: text is left as it is.
    """
    import pyarrow as pa

    if not place.remote and not place.file.exists():
        absolute = Path("/", place.file)
        step = f"An absolute path has four slashes: {place.engine}:///{absolute}." if absolute.exists() else ""
        raise InputError(name, "must be an existing database", str(place.file), step)
    with _ENGINES[place.engine](place, name) as engine, closing(engine):
        if place.query is not None and not isinstance(engine, _SQL):
            step = f"Name a collection after #, such as {place.name}#docs."
            raise InputError(name, f"must be a collection of {place.name}", "a query", step)
        asked = None if place.query is not None else _named(engine.tables(), place, name)
        try:
            table = engine.table(place.query) if asked is None else engine.whole(*asked)
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001  each library has its own
            if not isinstance(engine, _SQL):
                raise InputError(name, "must be a collection that can be read", "a damaged one") from None
            raise _refused(engine.about_query(error), place, name) from None
    if not table.num_columns:
        raise InputError(name, "must be a query that returns rows", "one that returns none")
    columns = {label: _numeric(table.column(j), table.schema.field(j)) for j, label in enumerate(table.column_names)}
    if len(columns) < table.num_columns:
        raise InputError(name, "must have distinct column names", "a query that repeats one", "Use AS.")
    return pa.table(columns if raw else settled(columns, name, id_column))


def _named(tables: list[tuple[str, str]], place: Address, name: str) -> tuple[str, str]:
    """Return the schema and the name of the table that is asked for, or of the only one there is."""
    found = [one for one in tables if place.asked in ("", one[1], ".".join(one))]
    found = [one for one in found if one[0] in _USUAL] or found if place.asked else found
    if len(found) == 1:
        return found[0]
    labels = _labels(tables)
    if not labels:
        raise InputError(name, "must be a database with tables", f"none in {place.name}")
    listed = first_few(labels, _LISTED)
    step = f"Name one after #, such as {place.name}#{labels[0]}, or {way('use --query', 'write a query there')}."
    if not place.asked:
        raise InputError(name, "must be one table of the database", f"{len(labels)} tables: {listed}", step)
    rule, step = f"must be a table of {place.name}", names_like(place.asked, labels, "tables")
    raise InputError(name, rule, repr(place.asked), step)


_USUAL = ("main", "public")  # schemas whose tables are named without them


def _labels(tables: list[tuple[str, str]]) -> list[str]:
    """Return what tables are called after the # of a URL."""
    return [table if schema in _USUAL else f"{schema}.{table}" for schema, table in tables]


def check_no_database(given: str, name: str) -> None:
    """Refuse the path of a database file, with or without a table after #: say the URL to type, and its tables."""
    path, asked = given, ""
    if (engine := _engine_of(path)) is None:
        path, _, asked = given.partition("#")
        engine = _engine_of(path) if asked else None
    if engine is None:
        return
    url, labels = f"{engine}:///{quote(path)}", list[str]()
    with suppress(MissingExtraError), _ENGINES[engine](address(url, name), name) as opened, closing(opened):
        labels = _labels(opened.tables())
    chosen = asked if asked in labels else labels[0] if len(labels) == 1 else "TABLE"
    listed = first_few(labels, _LISTED)
    step = f"Its tables are: {listed}." if len(labels) > 1 else f"Its only table is {listed}." if labels else ""
    if asked and asked not in labels and len(labels) > 1:
        step = names_like(asked, labels, "tables")
    kind = "SQLite" if engine == "sqlite" else "DuckDB"
    rule = f"must be a URL where the table is in a database of {kind}"
    raise InputError(name, rule, given, f"Use {url}#{chosen}. {step}".strip())


def _engine_of(name: str) -> str | None:
    """Return which database a file is, by the bytes at its beginning; None if it is another file, or none."""
    with suppress(OSError):
        if Path(name).is_file():  # a pipe would lose them
            with Path(name).open("rb") as file:
                start = file.read(16)
            return "sqlite" if start == b"SQLite format 3\0" else "duckdb" if start[8:12] == b"DUCK" else None
    return None


def _numeric(column: Any, field: Any) -> Any:
    """Return a column with numbers for decimals that a driver hands over as text."""
    import pyarrow as pa

    stored = getattr(column.type, "storage_type", column.type)
    if pa.types.is_nested(stored):
        return column
    kind = (field.metadata or {}).get(b"ADBC:postgresql:typname")
    if isinstance(column.type, pa.BaseExtensionType):
        kind = getattr(column.type, "type_name", "").encode() or kind
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=stored)
    if kind in _PGVECTOR and pa.types.is_binary(stored):
        return pa.chunked_array([_sent_vectors(column.to_pylist(), _PGVECTOR[kind])])
    return column.cast(pa.float64()) if kind == b"numeric" and pa.types.is_string(stored) else column


# Types of pgvector, and of the numbers that it sends behind the length of a vector and two empty bytes.
_PGVECTOR = {b"vector": ">f4", b"halfvec": ">f2"}


def _sent_vectors(cells: list[bytes | None], sent: str) -> Any:
    import pyarrow as pa

    stored = np.dtype(sent).newbyteorder("=")
    rows = [None if cell is None else np.frombuffer(cell, sent, offset=4).astype(stored) for cell in cells]
    return pa.array(rows, pa.list_(pa.from_numpy_dtype(stored)))


def _refused(words: str | None, place: Address, name: str) -> InputError:
    """Return the error of a query; ``words``: what the engine says, where that is about the query and no more."""
    got = "one that fails on the data" if words is None else words.strip().rstrip(".!")
    return InputError(name, f"must be a query that {place.name} can run for a reader", got)


class _SQL(ABC):
    """A database that understands SQL."""

    @abstractmethod
    def table(self, query: str) -> Any:
        """Return the answer to a query as an Arrow table."""

    @abstractmethod
    def about_query(self, error: Exception) -> str | None:
        """Return what an error says of the query; None where it may speak of the data."""

    def whole(self, schema: str, table: str) -> Any:
        """Return a table."""
        schema, table = (part.replace('"', '""') for part in (schema, table))
        return self.table(f'SELECT * FROM "{schema}"."{table}"')


class _SQLite(_SQL):
    """A file of SQLite, through ADBC."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def connected(cls, place: Address, name: str) -> "Iterator[_SQLite]":
        try:
            from adbc_driver_sqlite import dbapi
        except ImportError as error:
            raise MissingExtraError("a table in SQLite", "adbc-driver-sqlite", "databases") from error
        engine = cls(dbapi.connect(f"file:{place.file.absolute().as_posix()}?mode=ro"))
        try:
            engine.tables()
        except dbapi.Error:
            engine.close()
            raise InputError(name, "must be a database of SQLite", "a damaged file or another format") from None
        yield engine

    def close(self) -> None:
        self._connection.close()

    def tables(self) -> list[tuple[str, str]]:
        sql = (
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        return [("main", name) for name in self.table(sql).column(0).to_pylist()]

    def table(self, query: str) -> Any:
        with self._connection.cursor() as cursor:
            # The driver takes a column's type from its first rows, and fails where later ones have another.
            cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(2**24)})
            cursor.execute(query)
            return cursor.fetch_arrow_table()

    def about_query(self, error: Exception) -> str | None:
        _, prepared, said = str(error).partition("prepare query: ")
        if prepared:
            return said.partition("\n")[0]
        return "one that writes" if "readonly" in str(error) else None


class _DuckDB(_SQL):
    """A file of DuckDB."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def connected(cls, place: Address, name: str) -> "Iterator[_DuckDB]":
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtraError("a table in DuckDB", "duckdb", "databases") from error
        try:
            connection = duckdb.connect(str(place.file), read_only=True)
        except duckdb.Error:
            rule = "must be a database of DuckDB that no other program has locked"
            raise InputError(name, rule, "a damaged file, another format or a locked file") from None
        yield cls(connection)

    def close(self) -> None:
        self._connection.close()

    def tables(self) -> list[tuple[str, str]]:
        sql = (
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_catalog = current_database() ORDER BY 1, 2"
        )
        return list(self._connection.execute(sql).fetchall())

    def table(self, query: str) -> Any:
        import pyarrow as pa

        relation = self._connection.sql(query)
        return pa.table({}) if relation is None else relation.to_arrow_table()

    def about_query(self, error: Exception) -> str | None:
        import duckdb

        said = str(error).partition("\n")[0]
        if isinstance(error, duckdb.ParserException | duckdb.CatalogException | duckdb.BinderException):
            return said.partition("Error: ")[2]
        return "one that writes" if "read-only" in said else None


class _PostgreSQL(_SQL):
    """A server of PostgreSQL, through ADBC."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def connected(cls, place: Address, name: str) -> "Iterator[_PostgreSQL]":
        try:
            from adbc_driver_postgresql import dbapi
        except ImportError as error:
            raise MissingExtraError("a table in PostgreSQL", "adbc-driver-postgresql", "databases") from error
        try:
            connection = dbapi.connect(urlunsplit(place.url._replace(scheme="postgresql")))
        except dbapi.Error as error:
            reason = next((got for word, got in _REASONS.items() if word in str(error)), "no connection")
            raise InputError(name, f"must be a database that can be reached, {place.name}", reason) from None
        engine = cls(connection)
        engine.run("SET default_transaction_read_only = on")
        connection.commit()
        yield engine

    def close(self) -> None:
        self._connection.close()

    def run(self, sql: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)

    def tables(self) -> list[tuple[str, str]]:
        sql = (
            "SELECT table_schema::text, table_name::text FROM information_schema.tables "
            "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
        )
        return [tuple(row.values()) for row in self.table(sql).to_pylist()]

    def table(self, query: str) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetch_arrow_table()

    def about_query(self, error: Exception) -> str | None:
        state = getattr(error, "sqlstate", None) or ""
        if state == "25006":
            return "one that writes"
        lines = [line for line in str(error).splitlines() if "ERROR: " in line]
        return lines[0].partition("ERROR: ")[2].strip() if state[:2] == "42" and lines else None


# Parts of libpq's messages, and what is said for them; the messages themselves name users and addresses.
_REASONS = {
    "password": "a password that is wrong or missing",
    "does not exist": "a database or a user that does not exist",
    "could not translate": "a host that is not known",
    "refused": "no answer from a server",
    "No such file": "no answer from a server",
    "timeout": "no answer from a server",
    "invalid": "a URL that PostgreSQL does not understand",
}

_ENGINES: dict[str, Any] = {
    "sqlite": _SQLite.connected,
    "duckdb": _DuckDB.connected,
    "postgresql": _PostgreSQL.connected,
    "postgres": _PostgreSQL.connected,
    "lancedb": LanceDB.connected,
    "chroma": Chroma.connected,
    "qdrant": Qdrant.connected,
    "qdrants": Qdrant.connected,
}
