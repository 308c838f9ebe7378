# SPDX-License-Identifier: BSD-3-Clause
"""Vector stores by URL: LanceDB, Qdrant and Chroma, each through its own client; FAISS indices are files.

``lancedb:///store#docs``, ``chroma:///store#docs`` and ``qdrant:///store#docs`` are collections of a folder,
``qdrant://host:6333#docs`` one of a server. A collection becomes an Arrow table: its vectors, its ids, and what is
written beside them. Nothing is written to a store.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from isobreach.errors import InputError, MissingExtraError
from isobreach.io.content import Content
from isobreach.io.vectors import from_rows

if TYPE_CHECKING:
    from isobreach.io.databases import Address

_PAGE = 1_000  # points that a server is asked for at a time: a few megabytes
_SECONDS = 8  # until a server that does not answer counts as gone


class LanceDB:
    """A folder of LanceDB."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def connected(cls, place: "Address", name: str) -> "Iterator[LanceDB]":
        """Open the folder."""
        with _needs("a table in LanceDB", "lancedb"):
            import lancedb
        _check_folder(place, name, "LanceDB", "*.lance")
        yield cls(lancedb.connect(str(place.file)))

    def close(self) -> None:
        """Nothing is held open."""

    def tables(self) -> list[tuple[str, str]]:
        """Names of its tables."""
        return [("main", label) for label in self._connection.list_tables().tables]

    def whole(self, schema: str, table: str) -> Any:
        """Return a table."""
        return self._connection.open_table(table).to_arrow()


class Chroma:
    """A folder of Chroma."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    @contextmanager
    def connected(cls, place: "Address", name: str) -> "Iterator[Chroma]":
        """Open the folder."""
        with _needs("a collection in Chroma", "chromadb"), _foreign_warnings():
            import chromadb
        _check_folder(place, name, "Chroma", "chroma.sqlite3")
        settings = chromadb.Settings(anonymized_telemetry=False)
        try:
            client = chromadb.PersistentClient(str(place.file), settings=settings)
        except Exception:  # noqa: BLE001  a damaged file shows as any error of its parts
            raise InputError(name, "must be a folder of Chroma", "a damaged one, or one of another version") from None
        yield cls(client)

    def close(self) -> None:
        """Nothing is held open."""

    def tables(self) -> list[tuple[str, str]]:
        """Names of its collections."""
        return [("main", one.name) for one in self._client.list_collections()]

    def whole(self, schema: str, table: str) -> Any:
        """Return a collection: ids, documents, what is written beside them, and embeddings."""
        collection = self._client.get_collection(table, embedding_function=None)
        found = collection.get(include=["embeddings", "documents", "metadatas"])
        beside = found["metadatas"] or [None] * len(found["ids"])
        texts = found["documents"] or [None] * len(found["ids"])
        notes = [{**(note or {}), "document": text} for note, text in zip(beside, texts, strict=True)]
        # The client hands out float64, the store holds float32: nothing is lost.
        vectors = np.asarray(found["embeddings"], dtype=np.float32).reshape(len(found["ids"]), -1)
        return _table(found["ids"], {"embedding": vectors}, notes)


class Qdrant:
    """A folder, or a server, of Qdrant."""

    def __init__(self, client: Any, name: str) -> None:
        self._client, self._name = client, name

    @classmethod
    @contextmanager
    def connected(cls, place: "Address", name: str) -> "Iterator[Qdrant]":
        """Open the folder, or connect to the server."""
        with _needs("a collection in Qdrant", "qdrant-client"):
            from qdrant_client import QdrantClient
        if place.remote:
            url = place.url
            address = f"{'https' if place.engine == 'qdrants' else 'http'}://{url.hostname}:{url.port or 6333}"
            with _foreign_warnings():
                client = QdrantClient(url=address, api_key=url.password, timeout=_SECONDS, check_compatibility=False)
        else:
            _check_folder(place, name, "Qdrant", "meta.json")
            try:
                client = QdrantClient(path=str(place.file))
            except Exception:  # noqa: BLE001  a folder in use shows as RuntimeError, a damaged one as others
                rule = "must be a folder of Qdrant that no other program has open"
                raise InputError(name, rule, "a damaged folder, or one in use") from None
        engine = cls(client, name)
        try:
            engine.tables()
        except Exception as error:  # noqa: BLE001  each transport has its own
            client.close()
            status = getattr(error, "status_code", None)
            got = "a key that is wrong or missing" if status in (401, 403) else "no answer from a server"
            raise InputError(name, f"must be a store that can be reached, {place.name}", got) from None
        yield engine

    def close(self) -> None:
        """Leave the store to others."""
        self._client.close()

    def tables(self) -> list[tuple[str, str]]:
        """Names of its collections."""
        return [("main", one.name) for one in self._client.get_collections().collections]

    def whole(self, schema: str, table: str) -> Any:
        """Return a collection: ids, payloads and vectors, of which there may be several kinds with names."""
        points, offset = [], None
        while True:
            part, offset = self._client.scroll(table, limit=_PAGE, offset=offset, with_vectors=True, with_payload=True)
            points += part
            if offset is None:
                break
        kinds: dict[str, list[Any]] = {}
        for point in points:
            given = point.vector if isinstance(point.vector, Mapping) else {"vector": point.vector}
            for kind, vector in given.items():
                kinds.setdefault(kind, []).append(vector)
        dense = {kind: vectors for kind, vectors in kinds.items() if all(isinstance(one, list) for one in vectors)}
        if not dense or any(len(vectors) < len(points) for vectors in dense.values()):
            raise InputError(self._name, f"must have a dense vector in every point of {table!r}", "points without")
        rows = {kind: np.array(vectors, dtype=np.float32) for kind, vectors in dense.items()}
        return _table([point.id for point in points], rows, [point.payload or {} for point in points])


def read_faiss(content: Content, name: str) -> Any:
    """Return the vectors of a FAISS index, as the index can give them back: quantised ones are decoded."""
    with _needs("a FAISS index", "faiss-cpu"), _foreign_warnings():
        import faiss
    try:
        if isinstance(content.place, bytes):
            loaded: Any = faiss.deserialize_index(np.frombuffer(content.place, np.uint8))
        else:
            loaded = faiss.read_index(str(content.place))
        index, ids = loaded, None
        if hasattr(loaded, "id_map"):
            ids, index = faiss.vector_to_array(loaded.id_map), faiss.downcast_index(loaded.index)
        if hasattr(index, "make_direct_map"):
            index.make_direct_map()
        rows = index.reconstruct_n(0, index.ntotal)
    except Exception:  # noqa: BLE001  its errors are of C++, and quote its own lines
        rule = "must be a FAISS index that holds its vectors"
        raise InputError(name, rule, "a damaged file, another format, or an index that cannot give them back") from None
    if not len(rows):
        raise InputError(name, "must be a FAISS index with vectors", "an empty one")
    return _table(None if ids is None else ids.tolist(), {"vector": rows}, [])


def _table(ids: Sequence[Any] | None, vectors: Mapping[str, Any], notes: Sequence[Mapping[str, Any]]) -> Any:
    """An Arrow table of vectors, their ids, and single values that stand beside them."""
    import pyarrow as pa

    columns = {} if ids is None else {"id": _plain(ids)}
    for label in dict.fromkeys(key for note in notes for key in note):
        values = [note.get(label) for note in notes]
        single = [value if isinstance(value, str | int | float | bool) else None for value in values]
        if any(value is not None for value in single) and label not in vectors:
            columns[str(label)] = _plain(single)
    return pa.table({**columns, **{kind: from_rows(rows) for kind, rows in vectors.items()}})


def _plain(values: Sequence[Any]) -> Any:
    """Values of one type as an Arrow array; of several, as text."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in values])


def _check_folder(place: "Address", name: str, what: str, mark: str) -> None:
    """Refuse a folder that is none of this kind: a client would make a new store of it."""
    if not any(place.file.glob(mark)):
        raise InputError(name, f"must be a folder of {what}", f"{place.file}, which is none")


@contextmanager
def _needs(what: str, package: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(what, package, "stores") from error


@contextmanager
def _foreign_warnings() -> Iterator[None]:
    """Other packages warn of their own affairs, such as a connection without encryption on the same machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
