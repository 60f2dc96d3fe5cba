"""Importers of places and menus.

``open_street_map``  OpenStreetMap extracts (``.osm.pbf``)
``geojson``          GeoJSON, and the JSON of the Overpass API
``place_table``      CSV files of places, also those exported from Foursquare and Overture
``menu_table``       CSV files of menu items
``tags``             OpenStreetMap tags as places
``import_places``    detection of the format, and the import of several files
"""
