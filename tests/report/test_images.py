"""Which image is of which page."""

from __future__ import annotations

import pytest

from fastarac.ocr.verification.crops import check_images
from fastarac.report.images import images_in


def found(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    images = images_in(folder)
    return images, {name: path.relative_to(folder).as_posix() for name, path in images.items()}


def test_images_in_subfolders(tmp_path):
    images, paths = found(tmp_path, "a/p1.png", "b/p1.tif", "b/p2.scan.JPG", "p3.png", ".c/p4.png")
    assert paths["a/p1"] == "a/p1.png"
    assert paths["b/p1"] == "b/p1.tif"
    assert {paths[name] for name in ("p2", "p2.scan", "b/p2")} == {"b/p2.scan.JPG"}
    assert paths["p3"] == "p3.png"
    assert "p4" not in paths
    check_images(images, ["a/p1", "b/p1", "p2", "p3", "p5"])
    with pytest.raises(ValueError, match=r"p1\.tif are both images of p1;"):
        check_images(images, ["p1"])


def test_names_up_to_a_later_dot(tmp_path):
    images, paths = found(tmp_path, "vol.1.png", "vol.2.png", "one.png", "one.crop.png")
    assert (paths["vol.1"], paths["vol.2"]) == ("vol.1.png", "vol.2.png")
    assert paths["one"] == "one.png"
    check_images(images, ["vol.1", "vol.2", "one"])
    with pytest.raises(ValueError, match=r"vol\.1\.png and .*vol\.2\.png are both images of vol;"):
        check_images(images, ["vol"])


def test_what_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"with a known suffix \(\.png, \.jpg, \.jpeg, \.tif,"):
        images_in(tmp_path)
    with pytest.raises(ValueError, match="be a folder with the images of the pages"):
        images_in(tmp_path / "absent")
    with pytest.raises(ValueError, match=r"p1\.png are both images of p1; keep"):
        found(tmp_path, "p1.jpg", "p1.png")


def test_links_in_circles(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert found(tmp_path, "a/p1.png")[1]["p1"] == "a/p1.png"
