"""What a student's ``pytest`` runs: release copies these files into the bundle's folder ``kit``.

Standard library, pytest 7 or newer and Python 3.10. In the bundle the modules lie side by side in one
package.
"""
