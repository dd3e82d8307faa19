"""The package verify_layout: what a Layout packs, unpacks and says. Beside test_package.py, and skipped as there."""
import sys
import unittest
from array import array

import verify_layout as vl
from test_package import has


def image_of_sticks(host, fill):
    """f16[2,3,70] by hand: element (a, b, c) at ((b * 2 + c // 64) * 2 + a) * 64 + c % 64."""
    image = [fill] * (3 * 2 * 2 * 64)
    for a in range(2):
        for b in range(3):
            for c in range(70):
                image[((b * 2 + c // 64) * 2 + a) * 64 + c % 64] = host[(a * 3 + b) * 70 + c]
    return image


class Layout(unittest.TestCase):
    sticks = vl.Layout("SpyreTensorLayout((2, 3, 70), torch.float16)", "f16[2,3,70]")

    def test_attributes(self):
        self.assertEqual(self.sticks.shape, (2, 3, 70))
        self.assertEqual(self.sticks.physical_shape, (3, 2, 2, 64))
        self.assertEqual((self.sticks.dtype, self.sticks.itemsize, self.sticks.replicas), ("f16", 2, 1))
        self.assertIn("SpyreTensorLayout(device_size=[3, 2, 2, 64]", self.sticks.normal)

    def test_place(self):
        self.assertEqual(self.sticks.place([[1, 2, 69], (0, 0, 0)]), [[2, 1, 1, 5], [0, 0, 0, 0]])
        self.assertEqual(self.sticks.place([]), [])
        self.assertEqual(vl.Layout("S[4:1@laneid] + R[2:4@laneid]", "u8[4]").place([[3]]), [[[3], [7]]])
        for wrong in ([[2, 0, 0]], [[0, 0]], [[-1, 0, 0]]):
            with self.assertRaises(vl.InputError):
                self.sticks.place(wrong)
        with self.assertRaisesRegex(vl.InputError, "has no slot"):
            vl.Layout("ComposeLayout(0, 1, 1, S[3:1])", "f16[3]").place([[2]])

    def test_pack_and_unpack_of_buffers(self):
        host = array("H", range(1, 421))
        image = self.sticks.pack(host, fill="bits:0xfe01")
        self.assertEqual(image.shape, (3, 2, 2, 64))
        self.assertEqual(array("H", image.tobytes()).tolist(), image_of_sticks(host, 0xFE01))
        self.assertEqual(array("H", self.sticks.unpack(image).tobytes()), host)
        out = array("H", [7]) * 768
        self.assertIs(self.sticks.pack(host, out=out), out)
        self.assertEqual(out.tolist(), image_of_sticks(host, 0))
        back = array("H", [7]) * 420
        self.assertIs(self.sticks.unpack(out, out=back), back)
        self.assertEqual(back, host)

    def test_views(self):
        # Elements 1 3 5 of a memory of 6.
        view = vl.Layout("S[3:1]", "u16[3]", strides=[2], offset=1)
        memory = array("H", [0, 10, 0, 30, 0, 50])
        self.assertEqual(view.pack(memory).tolist(), [10, 30, 50])
        self.assertEqual(view.unpack(array("H", [1, 2, 3])).tolist(), [0, 1, 0, 2, 0, 3])
        with self.assertRaises(ValueError):
            view.pack(memory[:5])

    def test_arrays_that_do_not_fit(self):
        for wrong, error in ((array("H", range(419)), ValueError), (array("B", range(200)), TypeError),
                             (array("I", range(420)), TypeError), (3, TypeError)):
            with self.assertRaises(error):
                self.sticks.pack(wrong)
        with self.assertRaises(ValueError):
            self.sticks.unpack(array("H", range(767)))
        with self.assertRaises(TypeError):
            self.sticks.pack(array("H", range(420)), out=bytes(768 * 2))

    def test_what_cannot_be_packed(self):
        host = array("B", range(4))
        with self.assertRaisesRegex(vl.InputError, "no certified plan"):
            vl.Layout("S[(2,2):(1,1)]", "u8[2,2]").pack(host)
        with self.assertRaises(vl.InputError):
            vl.Layout("S[4:1]", "u8[4]").pack(host, fill="soft")
        with self.assertRaises(vl.InputError):
            vl.Layout("S[(M,2):(2,1)]", "u8[2,2]")
        # Copies that differ: element 0 in slots 0 and 2.
        with self.assertRaisesRegex(vl.InputError, "differ"):
            vl.Layout("S[2:1] + R[2:2]", "u8[2]").unpack(array("B", [1, 2, 3, 2]))

    @unittest.skipUnless(has("numpy"), "NumPy is not installed")
    def test_numpy(self):
        import numpy as np
        host = np.arange(1, 421, dtype=np.uint16).reshape(2, 3, 70).view(np.float16)
        image = self.sticks.pack(host, fill=float("nan"))
        self.assertEqual((image.dtype, image.shape), (np.float16, (3, 2, 2, 64)))
        self.assertEqual(image.view(np.uint16).reshape(-1).tolist(), image_of_sticks(range(1, 421), 0x7E00))
        self.assertTrue((self.sticks.unpack(image).view(np.uint16) == host.view(np.uint16)).all())
        transposed = np.asfortranarray(host)
        self.assertTrue((self.sticks.pack(transposed, 0).view(np.uint16) == self.sticks.pack(host, 0).view(np.uint16)).all())
        places = self.sticks.place(np.array([[1, 2, 69]]))
        self.assertEqual((places.dtype, places.tolist()), (np.int64, [[2, 1, 1, 5]]))
        self.assertEqual(self.sticks.pack(host, np.float32(1)).view(np.uint16).reshape(-1).tolist(), image_of_sticks(range(1, 421), 0x3C00))
        big = np.arange(24, dtype=np.uint16).reshape(4, 6)
        view = vl.Layout("S[(4,3):(3,1)]", "u16[4,3]", strides=[6, 2])
        self.assertEqual(view.pack(big[:, ::2]).tolist(), big[:, ::2].reshape(-1).tolist())
        with self.assertRaises(ValueError):
            self.sticks.pack(host, out=np.zeros(768, np.uint16)[::-1])

        class Exchanged:
            """What speaks DLPack and nothing else, as arrays of jax do."""

            def __init__(self, array):
                self.dtype = array.dtype
                self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

        self.assertEqual(self.sticks.pack(Exchanged(host)).tobytes(), self.sticks.pack(host).tobytes())
        self.assertEqual(view.pack(Exchanged(np.ascontiguousarray(big)[:, ::2])).tolist(), big[:, ::2].reshape(-1).tolist())
        with self.assertRaises(TypeError):
            self.sticks.pack(host.astype(">f2"))

    @unittest.skipUnless(has("torch"), "torch is not installed")
    def test_torch(self):
        import torch
        for dtype in (torch.float16, torch.bfloat16, torch.int16):
            host = torch.arange(1, 421, dtype=torch.int16).view(dtype).reshape(2, 3, 70)
            image = self.sticks.pack(host)
            self.assertEqual((image.dtype, tuple(image.shape)), (dtype, (3, 2, 2, 64)))
            self.assertEqual(image.view(torch.int16).reshape(-1).tolist(), image_of_sticks(range(1, 421), 0))
            self.assertTrue(torch.equal(self.sticks.unpack(image).view(torch.int16), host.view(torch.int16)))
        leaf = torch.zeros(2, 3, 70, dtype=torch.float16, requires_grad=True)
        self.assertEqual(tuple(self.sticks.pack(leaf).shape), (3, 2, 2, 64))


if __name__ == "__main__":
    sys.exit(unittest.main())
