# SPDX-License-Identifier: BSD-3-Clause
"""Vector stores, the real ones: each returns the bits that were put into it, and says in one line what is wrong."""

import socket
import warnings

import numpy as np
import pyarrow as pa
import pytest

from effort import slow
from isobreach.errors import InputError
from isobreach.io import as_raw, numbers_of, read_table
from isobreach.io.vectors import from_rows

VECTORS = np.random.default_rng(1).standard_normal((40, 6)).astype(np.float32)
TEXTS = [f"sentence {i}" for i in range(40)]


def lance(folder):
    import lancedb

    table = pa.table({"text": TEXTS, "page": range(40), "embedding": from_rows(VECTORS)})
    lancedb.connect(folder / "lance").create_table("docs", table)
    return f"lancedb:///{folder}/lance#docs"


def chroma(folder):
    import chromadb

    client = chromadb.PersistentClient(str(folder / "chroma"), settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("docs", embedding_function=None)
    notes = [{"text": text, "page": i} for i, text in enumerate(TEXTS)]
    collection.add(ids=[f"d{i:02d}" for i in range(40)], embeddings=VECTORS, metadatas=notes)
    return f"chroma:///{folder}/chroma#docs"


def qdrant(folder):
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder / "qdrant"))
    client.create_collection("docs", models.VectorParams(size=6, distance=models.Distance.DOT))
    points = [
        models.PointStruct(id=i, vector=row.tolist(), payload={"text": TEXTS[i], "page": i, "tags": ["a"]})
        for i, row in enumerate(VECTORS)
    ]
    client.upsert("docs", points)
    client.close()
    return f"qdrant:///{folder}/qdrant#docs"


def duckdb_file(folder):
    import duckdb

    with duckdb.connect(str(folder / "v.db")) as connection:
        connection.register("given", pa.table({"text": TEXTS, "page": range(40), "embedding": from_rows(VECTORS)}))
        connection.execute("CREATE TABLE docs AS SELECT text, page, embedding::FLOAT[6] AS embedding FROM given")
    return f"duckdb:///{folder}/v.db#docs"


STORES = {"lancedb": lance, "chroma": chroma, "qdrant": qdrant, "duckdb": duckdb_file}


@pytest.fixture(scope="module", params=["duckdb", *slow("lancedb", "chroma", "qdrant")])
def store(request, tmp_path_factory):
    with warnings.catch_warnings():  # of the packages about themselves
        warnings.simplefilter("ignore")
        return STORES[request.param](tmp_path_factory.mktemp(request.param))


def test_a_store_returns_the_bits_that_were_put_into_it(store):
    table = read_table(store, name="released")
    assert table.values.dtype == np.float32
    np.testing.assert_array_equal(table.values, VECTORS)
    assert {"text", "page"} <= set(table.left_out)
    named = read_table(store.partition("#")[0], name="known", id_column="text")  # its only collection
    assert named.ids.tolist() == TEXTS
    np.testing.assert_array_equal(named.values, VECTORS)
    np.testing.assert_array_equal(numbers_of(as_raw(store, "X"), "X").values, VECTORS)


def test_what_is_not_in_a_store_is_one_line(store):
    place, _, _ = store.partition("#")
    engine = store.partition(":")[0]
    for given, rule in (
        (f"{place}#doc", rf"released must be a table of {engine}:///\w+(\.db)?\. Got 'doc'\. Did you mean 'docs'\?"),
        (f"{place}x#docs", "released must be an existing database"),
        (f"{engine}://#docs", "released must be a URL such as"),
    ):
        with pytest.raises(InputError, match=rule):
            read_table(given, name="released")
    if engine != "duckdb":
        with pytest.raises(InputError, match=r"released must be a collection of .* Got a query"):
            read_table(f"{place}#SELECT * FROM docs", name="released")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["lancedb", "chroma", "qdrant"])
def test_a_folder_that_is_no_store_stays_as_it_is(tmp_path, engine):
    (tmp_path / "papers").mkdir()
    with pytest.raises(InputError, match="released must be a folder of "):
        read_table(f"{engine}:///{tmp_path}/papers#docs", name="released")
    assert list((tmp_path / "papers").iterdir()) == []


@pytest.mark.slow
def test_a_server_that_is_not_there_is_one_line_without_its_key():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(InputError) as caught:
        read_table(f"qdrant://:secret@127.0.0.1:{port}#docs", name="released")
    assert str(caught.value) == (
        f"released must be a store that can be reached, qdrant://127.0.0.1:{port}. Got no answer from a server."
    )


INDICES = {
    "flat": (lambda faiss: faiss.IndexFlatL2(6), 0.0),
    "graph": (lambda faiss: faiss.IndexHNSWFlat(6, 8), 0.0),
    "inverted": (lambda faiss: faiss.IndexIVFFlat(faiss.IndexFlatL2(6), 6, 2), 0.0),
    "half": (lambda faiss: faiss.IndexScalarQuantizer(6, faiss.ScalarQuantizer.QT_fp16), 2e-3),
    "bytes": (lambda faiss: faiss.IndexScalarQuantizer(6, faiss.ScalarQuantizer.QT_8bit), 2e-2),
}


@pytest.mark.parametrize(("make", "error"), INDICES.values(), ids=INDICES)
def test_an_index_gives_its_vectors_back(tmp_path, make, error):
    import faiss

    index = make(faiss)
    index.train(VECTORS)
    index.add(VECTORS)
    faiss.write_index(index, str(tmp_path / "v.faiss"))
    values = read_table(tmp_path / "v.faiss", name="released").values
    assert (values.dtype, np.abs(values - VECTORS).max() <= error) == (np.float32, True)


def test_an_index_with_ids_names_its_rows(tmp_path):
    import faiss

    index = faiss.IndexIDMap(faiss.IndexFlatL2(6))
    index.add_with_ids(VECTORS, np.arange(40) * 7)
    faiss.write_index(index, str(tmp_path / "v.index"))
    table = read_table(tmp_path / "v.index", name="known", id_column="id")
    assert table.ids.tolist() == (np.arange(40) * 7).tolist()
    np.testing.assert_array_equal(table.values, VECTORS)
    (tmp_path / "v.index").write_bytes((tmp_path / "v.index").read_bytes()[:100])
    with pytest.raises(InputError, match=r"^known must be a FAISS index that holds its vectors\. Got a damaged file"):
        read_table(tmp_path / "v.index", name="known")


@pytest.mark.slow
def test_pgvector_returns_the_bits_that_were_put_into_it(pgvector):
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(pgvector) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION vector")
        cursor.execute("CREATE TABLE docs (text text, embedding vector(6))")
        cursor.execute("CREATE TABLE halves (embedding halfvec(6))")
        for text, row in zip(TEXTS, VECTORS, strict=True):
            written = str(row.tolist())
            cursor.execute("INSERT INTO docs VALUES ($1, $2::text::vector)", (text, written))
            cursor.execute("INSERT INTO halves VALUES ($1::text::halfvec)", (written,))
        cursor.execute("CREATE TABLE mixed (embedding vector)")
        cursor.execute("INSERT INTO mixed VALUES ('[1,2]'), ('[1,2,3]')")
        connection.commit()
    table = read_table(f"{pgvector}#docs", name="known", id_column="text")
    assert (table.ids.tolist(), table.values.dtype) == (TEXTS, np.float32)
    np.testing.assert_array_equal(table.values, VECTORS)
    halves = read_table(f"{pgvector}#halves", name="released").values
    np.testing.assert_array_equal(halves, VECTORS.astype(np.float16))
    as_text = read_table(f"{pgvector}#SELECT embedding::text FROM docs", name="released").values
    np.testing.assert_array_equal(as_text.astype(np.float32), VECTORS)
    with pytest.raises(InputError, match="released must hold vectors of one length in 'embedding'"):
        read_table(f"{pgvector}#mixed", name="released")
